import { api } from '../../api/client.ts'
import type { ClientResponse } from '../../api/client.ts'
import type { Explanation, RecordOf } from '../../api/types.ts'
import { withDays } from '../../parts/value-words.ts'
import { toMinute } from '../../../wording/times.ts'
import { listTokens, tokenFor } from '../../state/client-requests.ts'
import type { Token } from '../../state/client-requests.ts'

/** A minute in which something is seen to happen, by real commands and requests. */
export interface Tour {
  id: string
  title: string
  /** What people know afterwards, in a sentence. */
  shows: string
  /** Looks for what it can show. Where this world has nothing suitable, a sentence that says so, and a scenario that has. */
  plan: () => Promise<TourPlan | { unsuitable: string; scenario: string }>
}

export interface TourPlan {
  /** The project that it is about, if it is about one. */
  project?: RecordOf<'projects'>
  steps: readonly TourStep[]
}

export interface TourStep {
  /** What happens, and why: a sentence or two. */
  text: string
  /** The section of the specification that says so. */
  section: string
  /** What the button says. */
  button: string
  /** Does it, and asks the API as a client. */
  run: () => Promise<Seen>
}

/** What is seen of a step. */
export interface Seen {
  /** In a sentence. */
  text: string
  answer: TourAnswer
  /** What the answer is shown beside; where omitted, the one before it to the same request. */
  beside?: TourAnswer
  /** How many requests a token has left. */
  left?: { remaining: number; limit: number }
}

/** An answer of the API. */
interface TourAnswer {
  /** What was asked for: `latest`. */
  of: string
  /** What it is: `report 4`. */
  is: string
  /** Null where it has none, as a 404. */
  fields: object | null
  /** The fields that it is about. */
  main: readonly string[]
}

/** A project that a tour may use, as it is now. */
export interface Candidate {
  project: RecordOf<'projects'>
  token: Token
  explanation: Explanation
}

/** How many projects are looked at: few, so that a tour begins at once in a world of any size. */
const LOOKED_AT = 24

/** How many changes ahead are read for each project; a report has four of them. */
export const AHEAD = 24

/** The first project that suits, among those that a token of this machine sees. */
export async function findCandidate<Found>(
  suits: (candidate: Candidate) => Found | undefined,
): Promise<Found | undefined> {
  const [tokens, { records }] = await Promise.all([
    listTokens(),
    api.list('projects', { limit: LOOKED_AT }),
  ])
  for (const project of records) {
    const token = tokenFor(tokens, project.agency)
    if (!token) continue
    const explanation = await api.get(`/explain/projects/${project.id}`, { changes: AHEAD })
    const found = suits({ project, token, explanation })
    if (found !== undefined) return found
  }
  return undefined
}

const REPORT_FIELDS = ['report_number', 'status', 'date_to_create_texts']

/** Asks for a report as a client does, and says which it is and why, in the words of the explanation. */
export async function askFor(
  which: 'latest' | 'last-generated',
  { project, token }: Candidate,
): Promise<Seen> {
  const path = `/api/v1/projects/${project.id}/reports/${which}`
  const of = which.replace('-', ' ')
  const response = await api.request({ path, token: token.token }, `Asked for the ${of} report`)
  const { latest, last_generated } = await api.get(`/explain/projects/${project.id}`, {
    changes: 0,
  })
  const { selected, candidates } = which === 'latest' ? latest : last_generated
  const is = selected ? `report ${selected.report_number}` : String(response.status)
  const reason = candidates.find(({ is_selected }) => is_selected)?.reason ?? ''
  return {
    text: selected ? `It is ${is}. ${withDays(reason)}` : 'It is 404: no report qualifies.',
    answer: { of, is, fields: dataOf(response), main: REPORT_FIELDS },
  }
}

/** Asks for the last generated report, to be seen beside the latest one. */
export async function askForBoth(candidate: Candidate): Promise<Seen> {
  const { answer } = await askFor('latest', candidate)
  return { ...(await askFor('last-generated', candidate)), beside: answer }
}

/** The `data` of a response; null where it has none. */
export function dataOf({ status, text }: ClientResponse): object | null {
  return status === 200 ? (JSON.parse(text) as { data: object }).data : null
}

/** Sets the world clock, and says so. */
export async function setClockTo(at: string, sentence: string): Promise<string> {
  await api.command({ type: 'clock.set', now: at }, sentence)
  return `The world clock stands at ${toMinute(at)}.`
}
