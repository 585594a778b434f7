import { listOptions, POLICIES } from '../contract/gaps.ts'
import type { Policy } from '../contract/gaps.ts'
import type { PolicyName } from '../contract/policies.ts'
import { isRefuted, isSupported } from './option-search.ts'
import type { SearchResult } from './option-search.ts'

/** An answer that tells options of a policy apart. */
interface Evidence {
  path: string
  status: number
  at: string
}

export interface PolicyResult {
  gap: string
  policy: PolicyName
  result: 'seen' | 'one-of' | 'not-seen' | 'not-asked'
  /** The service's option; omitted unless the result is `seen`. */
  value?: string
  /** The options that fit the service's answers; omitted unless there are several. */
  options?: string[]
  /** Reason for `not-seen` or `not-asked`, as a sentence; omitted for other results. */
  because?: string
  evidence: Evidence[]
}

/** Returns the UTC date of the last answer in a policy's evidence, like `2026-12-03`; undefined without evidence. */
export function daySeen({ evidence }: PolicyResult): string | undefined {
  return evidence.at(-1)?.at.slice(0, 10)
}

const MAXIMUM_EVIDENCE = 3

/** Policies that GET requests with one token cannot show, with the reason. */
const NOT_ASKED: Partial<Record<PolicyName, string>> = {
  'disabled-token': 'It needs another token, one that is disabled.',
  'disabled-token-on-me': 'It needs another token, one that is disabled.',
  'empty-ip-list': 'It needs another token, one without allowed addresses.',
  abilities: 'It needs another token, one without the ability *.',
  'foreign-project': 'It needs a project of another agency, and so another token.',
  'agency-id-of-agency-token': 'It needs another token, one of an agency.',
  'invalid-agency-id': 'It needs another token, one of a super-admin.',
  'super-admin-projects': 'It needs another token, one of a super-admin.',
  'unlimited-headers': 'It needs another token, one without a limit.',
  'rate-window': 'It needs a 429.',
  'rejected-requests': 'It needs a 429.',
  'both-exhausted': 'It needs a 429.',
  'reset-rounding': 'It needs a 429.',
  'remaining-without-minute': 'It needs a 429.',
  'month-time-zone': "It needs an answer at a month's end.",
  'other-methods': 'It needs a request other than GET, which might write.',
  'data-refresh': 'It needs a change of the data, and so writing.',
}

/**
 * Options, by policy, that are reported as `not-seen` even if no other option fits, because data that was not read could make
 * another option fit.
 */
const REPORTED_NOT_SEEN: Partial<Record<PolicyName, readonly string[]>> = {
  'reports-list-levels': ['included'],
  'scheme-without-content': ['null', 'known'],
  // A level or action type that no answer shows may be the reason that `latest` skips a report.
  'completed-tie': ['higher-id', 'number'],
  'undated-reports': ['excluded'],
}

export function toResults(found: SearchResult): PolicyResult[] {
  return POLICIES.map((gap) => {
    const result = toPolicyResult(gap, found)
    const { gap: id, policy, value = '', options = [value] } = result
    if (!options.some((option) => REPORTED_NOT_SEEN[policy]?.includes(option))) return result
    const because = 'Other data would give the same answers with another option.'
    return { gap: id, policy, result: 'not-seen', because, evidence: [] }
  })
}

function toPolicyResult(gap: Policy, { policies, rows }: SearchResult): PolicyResult {
  const { id, policy } = gap
  const entry = { gap: id, policy }
  const options = listOptions(gap)
  const evidence = rows.filter((row) =>
    options.some((option) => isRefuted(row, { policy, option })),
  )
  if (evidence.length === 0) {
    const reason = NOT_ASKED[policy]
    return reason === undefined
      ? { ...entry, result: 'not-seen', because: 'No answer depends on it.', evidence: [] }
      : { ...entry, result: 'not-asked', because: reason, evidence: [] }
  }
  const value = policies[policy]
  const fitting = options.filter((option) =>
    rows.every((row) => !isRefuted(row, { policy, option })),
  )
  const shown = evidence.slice(0, MAXIMUM_EVIDENCE).map(({ answer }) => ({
    path: answer.question.path,
    status: answer.status,
    at: answer.at,
  }))
  const excluded = options.filter((option) => !fitting.includes(option))
  if (rows.some((row) => excluded.some((option) => isSupported(row, { policy, option })))) {
    const because = 'One answer fits an option that another answer does not fit.'
    return { ...entry, result: 'not-seen', because, evidence: [] }
  }
  if (fitting.length === 1) return { ...entry, result: 'seen', value, evidence: shown }
  return { ...entry, result: 'one-of', options: fitting, evidence: shown }
}
