import type { JournalRequest } from '../journal/journal-request.ts'
import type { FaultStatus } from '../world/faults/fault-status.ts'
import { faultResponse } from './fault-words.ts'

/** The sections of the specification that select a report, and 4.5(3), where none is selected. */
const RULES = {
  '4.5(1)': 'The latest completed report dated this month',
  '4.5(2)': 'No report completed this month, so the earliest open one is latest',
  '4.5(3)': 'No report completed this month, and none is open',
  '4.6': 'The completed report that was created last',
}

/** A problem in words: the reason, where its code does not say enough, the remedy, and its section of the specification. */
interface ProblemWords {
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
  remedy: 'The response names the parameter, and the Reference what it accepts.',
  section: '4.3(1)',
}
const ASK_LIST = 'Ask for the list first, and take from it what exists.'

const PROBLEMS: Readonly<Record<string, ProblemWords>> = {
  unauthenticated: { remedy: SEND_TOKEN, section: '5' },
  login_required: {
    reason: 'Sent without a known token: redirected to the login',
    remedy: `${SEND_TOKEN} With \`Accept: application/json\` the API refuses instead.`,
    section: '5(8)',
  },
  forbidden: {
    reason: 'The token may not see this',
    remedy: 'Use a token of the agency that it belongs to.',
    section: '5',
  },
  token_disabled: {
    reason: 'The token is disabled',
    remedy: 'Use another token, or enable this one.',
    section: '5(8)',
  },
  ip_not_allowed: {
    reason: 'The token is not allowed from this address',
    remedy: 'Send it from an allowed address, or use another token.',
    section: '5(3)',
  },
  ability_missing: {
    reason: 'The token lacks the ability for it',
    remedy: 'Use a token with that ability.',
    section: '5(4)',
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
    remedy: 'Ask for the reports of the project first: their numbers are in the list.',
    section: '4.4',
  },
  report_number_out_of_range: {
    reason: 'Reports have numbers from 1 to 26',
    remedy: 'Ask for the reports of the project first: their numbers are in the list.',
    section: '4.7(1)',
  },
  country_not_found: { remedy: ASK_LIST, section: '4.2' },
  language_not_found: { remedy: ASK_LIST, section: '4.2' },
  user_not_found: { remedy: ASK_LIST, section: '4.2' },
  page_not_found: { remedy: 'Follow `next` until it is null.', section: '4.3(4)' },
  route_not_found: {
    reason: 'There is no such path below /api/v1',
    remedy: 'The Reference has every path.',
    section: '4.1',
  },
  method_not_allowed: {
    reason: 'The API is read-only: use GET',
    remedy: 'Send it with GET, or not at all.',
    section: '4.1',
  },
  malformed_id: {
    reason: 'The id is not a whole number',
    remedy: 'Take ids from the lists.',
    section: '4.2',
  },
  unknown_parameter: {
    reason: 'The API has no such query parameter',
    remedy: 'Leave it out. The Reference has the names of all parameters.',
    section: '4.3(1)',
  },
  invalid_parameter: INVALID_VALUE,
  unprocessable_parameter: INVALID_VALUE,
}

/** The id of the fault that decided a response; undefined where none did. */
export function decidingFault({ decided_by }: JournalRequest): number | undefined {
  const [, id] = /^fault (\d+)$/.exec(decided_by) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Whether nothing but the resource itself decided a response. */
export function isDecidedByResource({ decided_by, rule }: JournalRequest): boolean {
  return decided_by === 'resource' && rule === null
}

/** Why a response is what it is, in words; empty if it was served as asked, or nothing says so. `fault` decided it, if known. */
export function reasonOf(request: JournalRequest, fault?: FaultStatus): string {
  const { decided_by, rule, status } = request
  if (decided_by === '' || isDecidedByResource(request)) return ''
  if (rule === '4.6' && status >= 400) return 'No report is completed'
  if (rule !== null) return wordsOf(RULES, rule) ?? `By section ${rule}`
  if (decided_by === 'unauthenticated' || (decided_by === 'forbidden' && request.token === null)) {
    return withoutAccess(request)
  }
  if (decided_by.endsWith(' window')) {
    const windows = decided_by.slice(0, -7).replace('and ', 'and this ')
    return `The token has used up all requests of this ${windows}`
  }
  if (decidingFault(request) !== undefined) {
    return fault ? `An armed fault: ${faultResponse(fault)}` : 'A fault that is no longer armed'
  }
  return wordsOf(PROBLEMS, decided_by)?.reason ?? upperFirst(decided_by.replaceAll('_', ' '))
}

/** What a client does about a response that it did not want, with the section that says so; undefined for any other. */
export function remedyOf({
  decided_by,
  rule,
}: JournalRequest): Omit<ProblemWords, 'reason'> | undefined {
  if (rule !== null) return { remedy: '', section: rule }
  if (decided_by.endsWith(' window')) {
    return {
      remedy: 'Wait for the seconds of `Retry-After` before the next request.',
      section: '8',
    }
  }
  if (decided_by.startsWith('fault ')) {
    return { remedy: 'It is on purpose, to see what the client does then.', section: '7' }
  }
  return wordsOf(PROBLEMS, decided_by)
}

/** The words for a name. A file from elsewhere may have any name, such as `constructor`. */
function wordsOf<Words>(words: Readonly<Record<string, Words>>, name: string): Words | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}

function withoutAccess({ token, scheme }: JournalRequest): string {
  if (token !== null) return 'The token is disabled'
  return scheme === null ? 'Sent without a token' : 'The token is unknown'
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
