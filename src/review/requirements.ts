import { suggestFew } from '../contract/suggestion.ts'
import { describe } from '../contract/text.ts'
import type { Check } from './check.ts'
import { CHECK_IDS } from './checks/index.ts'

const OTHER_REQUIREMENTS = ['delivered', 'delivered:new', 'warnings']
const OF_PROJECT = /^delivered:([1-9]\d{0,14})$/

/** Returns the error message for a name that is neither a requirement nor a waiver; undefined for a valid name. */
export function findUnknown(
  what: string,
  { isRehearsal = false }: { isRehearsal?: boolean } = {},
): string | undefined {
  const names = [...OTHER_REQUIREMENTS, ...CHECK_IDS, ...(isRehearsal ? REHEARSAL_CHECK_IDS : [])]
  if (names.includes(what) || OF_PROJECT.test(what)) return undefined
  const whole = `Use the id of a check, ${OTHER_REQUIREMENTS.join(', ')} or delivered:101 for project 101.`
  return `${describe(what)} is not a requirement. ${suggestFew(what, names, whole)}`
}

/** Returns the project id in a requirement such as `delivered:101`; undefined for any other requirement. */
export function projectOf(what: string): number | undefined {
  const [, id] = OF_PROJECT.exec(what) ?? []
  return id === undefined ? undefined : Number(id)
}

type RehearsalCheck = Pick<
  Check,
  'id' | 'category' | 'severity' | 'section' | 'finds' | 'instead' | 'exercise'
>

export const REHEARSAL_CHECKS = [
  {
    id: 'twice',
    category: 'requests',
    severity: 'warning',
    section: '8',
    finds:
      'fetched unchanged content again after a run that had fetched it and ended well; an error if `hour-budget` fails too',
    instead:
      'Keep content by the id of its report, and fetch only the content of ids that are not known yet.',
    exercise: 'Let the client fetch the content of a report, and run again.',
  },
  {
    id: 'undelivered',
    category: 'reports',
    severity: 'error',
    section: '4.4',
    finds:
      'never fetched the content of a completed report, not again after it was regenerated, or after `date_to_send_to_client`',
    instead:
      'Read the reports list of each active project in each run, and the content of each completed report whose id is not known yet: ids change when a report is regenerated, and reports are not completed in the order of their numbers.',
    exercise: 'Let reports be completed while the client runs.',
  },
  {
    id: 'silent-failure',
    category: 'retries',
    severity: 'error',
    section: '7',
    finds: 'ended a run as done, though something that it asked for was not read in it',
    instead:
      'Have a run fail, with an error or an exit code, if something is still missing when it ends.',
    exercise: 'Let a request of a run fail.',
  },
  {
    id: 'recovery',
    category: 'retries',
    severity: 'error',
    section: '7',
    finds: 'failed again in the second run with nothing in its way after one that failed',
    instead:
      'Save data only once it is complete, and let each run ask for missing data, whatever happened before.',
    exercise: 'Let a run fail, and run the client again.',
  },
  {
    id: 'endless-run',
    category: 'retries',
    severity: 'error',
    section: '7',
    finds: 'waited for a response that never came, did not end in time, or sent 20,000 requests',
    instead:
      'Give each request a timeout, such as `AbortSignal.timeout(30_000)`, stop after some attempts, and leave the rest to the next run.',
    exercise: 'Let a request get no response.',
  },
] as const satisfies readonly RehearsalCheck[]

export type RehearsalCheckId = (typeof REHEARSAL_CHECKS)[number]['id']

export const REHEARSAL_CHECK_IDS = REHEARSAL_CHECKS.map(({ id }) => id)
