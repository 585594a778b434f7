import { api } from '../../api/client.ts'
import type { ClientResponse } from '../../api/client.ts'
import type { Explanation, RecordOf } from '../../api/types.ts'
import { REPORT_FIELDS } from '../../parts/before-after.tsx'
import { withDays } from '../../parts/value-words.ts'
import { toMinute } from '../../../wording/times.ts'
import { listTokens, tokenFor } from '../../state/client-requests.ts'
import type { Token } from '../../state/client-requests.ts'

/** A demonstration of about a minute, with real commands and requests. */
export interface Tour {
  id: string
  title: string
  shows: string
  /** Prepares the tour for this world. If the world does not suit, resolves to the reason and the name of a suitable scenario. */
  plan: () => Promise<TourPlan | { unsuitable: string; scenario: string }>
}

export interface TourPlan {
  /** Project that the tour shows; omitted if it shows none. */
  project?: RecordOf<'projects'>
  steps: readonly TourStep[]
}

export interface TourStep {
  /** Introduction to the step, shown before it is performed. */
  text: string
  section: string
  button: string
  /** Performs the step, then calls the API as a client would. */
  run: () => Promise<StepResult>
}

export interface StepResult {
  text: string
  answer: TourAnswer
  /** Response to compare with `answer`; if omitted, the tour's previous response from the same endpoint. */
  beside?: TourAnswer
  quota?: { remaining: number; limit: number }
}

interface TourAnswer {
  /** Short name of the endpoint that responded: `latest`. */
  endpoint: string
  /** Name of the returned resource, or the status of the response: `report 4`, `404`. */
  result: string
  /** Fields to show, such as those of `data` in the body; null for a response that has none, such as a 404. */
  fields: object | null
  alwaysShown: readonly string[]
}

export interface Candidate {
  project: RecordOf<'projects'>
  token: Token
  explanation: Explanation
}

/** Maximum number of projects to examine; few, so that a tour begins quickly in a world of any size. */
const EXAMINED_PROJECTS = 24

const CHANGES_AHEAD = 24

/**
 * Calls `suits` for the first `EXAMINED_PROJECTS` projects, except those that no unrestricted token sees, until a call returns a
 * result. Resolves to that result; undefined if no project suits.
 */
export async function findCandidate<Found>(
  suits: (candidate: Candidate) => Found | undefined,
): Promise<Found | undefined> {
  const [tokens, { records }] = await Promise.all([
    listTokens(),
    api.list('projects', { limit: EXAMINED_PROJECTS }),
  ])
  for (const project of records) {
    const token = tokenFor(tokens, project.agency)
    if (!token) continue
    const explanation = await api.get(`/explain/projects/${project.id}`, { changes: CHANGES_AHEAD })
    const found = suits({ project, token, explanation })
    if (found !== undefined) return found
  }
  return undefined
}

/** Requests a report as a client would. Describes the response, with the reason that `/explain` gives for the selection. */
export async function askFor(
  which: 'latest' | 'last-generated',
  { project, token }: Candidate,
): Promise<StepResult> {
  const path = `/api/v1/projects/${project.id}/reports/${which}`
  const endpoint = which.replace('-', ' ')
  const response = await api.request(
    { path, token: token.token },
    `Requested the ${endpoint} report`,
  )
  const { latest, last_generated } = await api.get(`/explain/projects/${project.id}`, {
    changes: 0,
  })
  const { selected, candidates } = which === 'latest' ? latest : last_generated
  const result = selected ? `report ${selected.report_number}` : String(response.status)
  const reason = candidates.find(({ is_selected }) => is_selected)?.reason ?? ''
  return {
    text: selected
      ? `The ${endpoint} report is ${result}. ${withDays(reason)}`
      : `The ${endpoint} report is a 404: no report qualifies.`,
    answer: { endpoint, result, fields: dataOf(response), alwaysShown: REPORT_FIELDS },
  }
}

export async function askForBoth(candidate: Candidate): Promise<StepResult> {
  const { answer } = await askFor('latest', candidate)
  return { ...(await askFor('last-generated', candidate)), beside: answer }
}

/** Returns the `data` of a response; null unless its status is 200. */
export function dataOf({ status, text }: ClientResponse): object | null {
  return status === 200 ? (JSON.parse(text) as { data: object }).data : null
}

/** Sets the world clock, and records the action as `sentence`. Resolves to a description of the new time. */
export async function setClockTo(at: string, sentence: string): Promise<string> {
  await api.command({ type: 'clock.set', now: at }, sentence)
  return `The world clock stands at ${toMinute(at)}.`
}
