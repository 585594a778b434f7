import type { JournalRequest } from '../journal/journal-request.ts'
import type { FaultStatus } from '../world/faults/fault-status.ts'
import { faultResponse } from './fault-words.ts'

/** The sections of the specification that select a report, and 4.5(3), where none is selected. */
const RULES = {
  '4.5(1)': 'The latest completed report dated this month',
  '4.5(2)': 'None completed this month: the earliest open one',
  '4.5(3)': 'None completed this month, and none open',
  '4.6': 'The completed report that was created last',
}

/** Problems whose codes do not say enough. */
const PROBLEMS = {
  login_required: 'Sent without a known token: redirected to the login',
  forbidden: 'The token may not see this',
  token_disabled: 'The token is disabled',
  ip_not_allowed: 'The token is not allowed from this address',
  ability_missing: 'The token lacks the ability for it',
  agency_filter_refused: 'Only a super-admin token may filter by agency_id',
  agency_filter_forbidden: 'Only a super-admin token may filter by agency_id',
  project_not_found: 'The token sees no such project',
  route_not_found: 'There is no such path',
  method_not_allowed: 'The API is read-only: use GET',
  malformed_id: 'The id is not a whole number',
  unknown_parameter: 'The API has no such query parameter',
  invalid_parameter: 'A query parameter has an invalid value',
  unprocessable_parameter: 'A query parameter has an invalid value',
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

/** Why a response is what it is, in words. `fault` is the fault that decided it, if it is known. */
export function reasonOf(request: JournalRequest, fault?: FaultStatus): string {
  const { decided_by, rule, status } = request
  if (decided_by === '') return 'The file does not say'
  if (rule === '4.6' && status >= 400) return 'No report is completed'
  if (rule !== null) return wordsOf(RULES, rule) ?? `By section ${rule}`
  if (isDecidedByResource(request)) return 'Served as asked'
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
  return wordsOf(PROBLEMS, decided_by) ?? upperFirst(decided_by.replaceAll('_', ' '))
}

/** The words for a name. A file from elsewhere may have any name, such as `constructor`. */
function wordsOf(words: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}

function withoutAccess({ token, scheme }: JournalRequest): string {
  if (token !== null) return 'The token is disabled'
  return scheme === null ? 'Sent without a token' : 'The token is unknown'
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
