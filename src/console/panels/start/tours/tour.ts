import { api } from '../../../api/client.ts'
import type { Explanation, RecordOf } from '../../../api/types.ts'
import { listTokens, tokenFor } from '../../../state/tokens.ts'
import type { Token } from '../../../state/tokens.ts'

/** A minute in which something is seen to happen, by real commands and requests. */
export interface Tour {
  id: string
  title: string
  /** What one knows afterwards. */
  shows: string
  /** Looks for what it can be shown with. A sentence where this world has nothing for it, and the scenario that has. */
  plan: () => Promise<Plan | { unsuitable: string; scenario: string }>
}

export interface Plan {
  /** The project that it is about, if it is about one. */
  project?: RecordOf<'projects'>
  steps: readonly Step[]
}

export interface Step {
  /** What happens, and why: a sentence or two. */
  text: string
  /** The section of the specification that says so. */
  section: string
  /** What the button says. */
  act: string
  /** Does it, and says what was seen. */
  run: () => Promise<string>
}

/** A project that a tour may use, as it is now. */
export interface Candidate {
  project: RecordOf<'projects'>
  token: Token
  explanation: Explanation
}

/** So many projects are looked at, so that a tour begins at once in a world of any size. */
const LOOKED_AT = 24

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
    const explanation = await api.get(`/explain/projects/${project.id}`, { changes: 12 })
    const found = suits({ project, token, explanation })
    if (found !== undefined) return found
  }
  return undefined
}

/** Asks for a report as a client does, and says which it is and why, in the words of the explanation. */
export async function askFor(
  which: 'latest' | 'last-generated',
  { project, token }: Candidate,
): Promise<string> {
  const path = `/api/v1/projects/${project.id}/reports/${which}`
  const name = which.replace('-', ' ')
  await api.request({ path, token: token.token }, `Asked for the ${name} report`)
  const { latest, last_generated } = await api.get(`/explain/projects/${project.id}`, {
    changes: 0,
  })
  const { selected, candidates } = which === 'latest' ? latest : last_generated
  if (!selected) return 'It is 404: no report qualifies.'
  const reason = candidates.find(({ is_selected }) => is_selected)?.reason ?? ''
  return `It is report ${selected.report_number}. ${reason}`
}
