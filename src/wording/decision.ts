import type { ProblemCode } from '../contract/problems.ts'
import type { JournalRequest } from '../journal/journal-request.ts'
import type { FaultStatus } from '../world/faults/fault-status.ts'
import { faultResponse } from './fault-words.ts'
import { capitalize } from './fit-on-line.ts'

/** Reasons for a selection, by section of the specification. Under 4.5(3), no report is selected. */
const RULES = {
  '4.5(1)': 'The latest completed report dated this month',
  '4.5(2)': 'No regular report is completed for this month, so the earliest open one is latest',
  '4.5(3)':
    'No regular report of the project is completed for this month, and no regular one is open',
  '4.6': 'The completed report that was created last',
}

/**
 * Returns the reason for selecting a report, or for selecting none. `rule` is the deciding section of the specification.
 */
export function reasonOfRule(rule: string, isFound: boolean): string {
  if (rule === '4.6' && !isFound) return 'No report of the project is completed'
  return wordsOf(RULES, rule) ?? `By section ${rule}`
}

interface ProblemWords {
  /** Omitted if the problem's code is clear enough. */
  reason?: string
  remedy: string
  section: string
}

const SEND_TOKEN = 'Send `Authorization: Bearer` with a token of this world.'
const OWN_AGENCY = {
  reason: 'Only a super-admin token may filter by agency_id',
  remedy: 'Leave out `agency_id`: any other token sees its own agency alone.',
  section: '4.3',
}
const INVALID_VALUE = {
  reason: 'A query parameter has an invalid value',
  remedy: 'The response does not say which one. The Reference has what each parameter accepts.',
  section: '4.3',
}
const UNKNOWN_ID = { remedy: 'Ask for the list first, and take an id from it.', section: '4.2' }
const TAKE_NUMBER = 'Ask for the reports of the project first: their numbers are in the list.'
const ON_PURPOSE = { remedy: 'It is on purpose, to see what the client does then.', section: '7' }

const PROBLEMS: Readonly<Record<ProblemCode, ProblemWords>> = {
  unauthenticated: { remedy: SEND_TOKEN, section: '5(1)' },
  login_required: {
    reason: 'Sent without a known token: redirected to the login',
    remedy: `${SEND_TOKEN} With \`Accept: application/json\` the API refuses instead.`,
    section: '5(8)',
  },
  forbidden: {
    reason: 'The token has no access to it',
    remedy: 'Use a token of the agency that it belongs to.',
    section: '5(7)',
  },
  token_disabled: {
    reason: 'The token is disabled',
    remedy: 'Use another token, or enable this one.',
    section: '5(4)',
  },
  ip_not_allowed: {
    reason: 'The token is not allowed from this address',
    remedy: 'Send it from an allowed address, or use another token.',
    section: '5(3)',
  },
  ability_missing: {
    reason: 'The token lacks the ability for it',
    remedy: 'Use a token with that ability.',
    section: '5(5)',
  },
  agency_filter_refused: OWN_AGENCY,
  agency_filter_forbidden: OWN_AGENCY,
  project_not_found: {
    reason: 'The token sees no such project',
    remedy: 'Ask `/projects` for those that it sees.',
    section: '4.2',
  },
  report_not_found: {
    reason: 'The project has no report with this number',
    remedy: TAKE_NUMBER,
    section: '4.7(2)',
  },
  report_number_out_of_range: {
    reason: 'Reports have numbers from 1 to 26',
    remedy: TAKE_NUMBER,
    section: '4.7(1)',
  },
  country_not_found: UNKNOWN_ID,
  language_not_found: UNKNOWN_ID,
  user_not_found: UNKNOWN_ID,
  page_not_found: { remedy: 'Follow `next` until it is null.', section: '4.3(4)' },
  route_not_found: {
    reason: 'There is no such path below /api/v1',
    remedy: 'The Reference has every path.',
    section: '4.1',
  },
  method_not_allowed: {
    reason: 'The API is read-only: use GET',
    remedy: 'Send it with GET, or not at all.',
    section: '4',
  },
  malformed_id: {
    reason: 'The id is not a whole number',
    remedy: 'Take ids from the lists.',
    section: '2.1',
  },
  unknown_parameter: {
    reason: 'The API has no such query parameter',
    remedy: 'Leave it out. The Reference has the names of all parameters.',
    section: '4.3(1)',
  },
  invalid_parameter: INVALID_VALUE,
  unprocessable_parameter: INVALID_VALUE,
  rate_limit_exceeded: {
    remedy: 'Wait as many seconds as `Retry-After` says before the next request.',
    section: '8',
  },
  // Only faults cause the following problems.
  request_timeout: ON_PURPOSE,
  server_error: ON_PURPOSE,
  bad_gateway: ON_PURPOSE,
  service_unavailable: ON_PURPOSE,
  gateway_timeout: ON_PURPOSE,
}

/** Returns the id of the fault that decided a response; undefined if no fault did. */
export function decidingFault({ decided_by }: JournalRequest): number | undefined {
  const [, id] = /^fault (\d+)$/.exec(decided_by) ?? []
  return id === undefined ? undefined : Number(id)
}

/** True for an ordinary response: the resource alone decided it, without a rule of selection. */
export function isDecidedByResource({ decided_by, rule }: JournalRequest): boolean {
  return decided_by === 'resource' && rule === null
}

/**
 * Describes the reason for a response; empty if the response is ordinary, or if no cause was recorded. `fault` is the
 * fault that decided the response, if it is known.
 */
export function reasonOf(request: JournalRequest, fault?: FaultStatus): string {
  const { rule, status, scheme } = request
  const decided_by = causeOf(request)
  if (decided_by === '' || isDecidedByResource(request)) return ''
  if (rule !== null) return reasonOfRule(rule, status < 400)
  if (decided_by === 'unauthenticated') {
    return scheme === null ? 'Sent without a token' : 'The token is unknown'
  }
  if (decided_by.endsWith(' window')) {
    const windows = decided_by.slice(0, -7).replace('and ', 'and this ')
    return `The token has used up all requests of this ${windows}`
  }
  if (decidingFault(request) !== undefined) {
    return fault ? `An armed fault: ${faultResponse(fault)}` : 'A fault that is no longer armed'
  }
  return wordsOf(PROBLEMS, decided_by)?.reason ?? capitalize(decided_by.replaceAll('_', ' '))
}

/**
 * Returns the remedy for an unwanted response, and the section of the specification that explains the response. The
 * remedy is empty if a rule of selection decided. Undefined for an ordinary response, or if the cause is unknown.
 */
export function remedyOf(request: JournalRequest): Omit<ProblemWords, 'reason'> | undefined {
  const { rule } = request
  if (rule !== null) return { remedy: '', section: rule }
  const decided_by = causeOf(request)
  if (decided_by.endsWith(' window')) return PROBLEMS.rate_limit_exceeded
  return decided_by.startsWith('fault ') ? ON_PURPOSE : wordsOf(PROBLEMS, decided_by)
}

/**
 * Returns the code of the actual cause. The recorded code can hide it: policies may treat a disabled token as unknown,
 * and a missing or unknown token as forbidden.
 */
function causeOf({ decided_by, token }: JournalRequest): string {
  if (decided_by === 'unauthenticated' && token !== null) return 'token_disabled'
  return decided_by === 'forbidden' && token === null ? 'unauthenticated' : decided_by
}

/** Ignores inherited properties, because an imported file may contain any name, even `constructor`. */
function wordsOf<Words>(words: Readonly<Record<string, Words>>, name: string): Words | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}
