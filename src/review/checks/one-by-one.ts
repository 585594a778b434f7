import { MINUTE_MS } from '../../contract/time.ts'
import type { OperationId } from '../../contract/routes.ts'
import { defineCheck, remember } from '../check.ts'
import { listSequences } from '../reviewed-request.ts'
import type { NamedRequest } from '../reviewed-request.ts'

interface Singles {
  paths: string[]
  requests: NamedRequest[]
  /** Arrival of the last request, by the rate clock in epoch milliseconds. */
  lastMs: number
  /** Number of commands before the first request, except those that only move the clock. */
  changes: number
}

const RECORD_KINDS: Partial<Record<OperationId, string>> = {
  getCountry: 'countries',
  getLanguage: 'languages',
  getUser: 'users',
  listCountries: 'countries',
  listLanguages: 'languages',
  listUsers: 'users',
}

/** Minimum number of single records read, each within a minute of the previous one, that is a mistake. */
const MINIMUM_RECORDS = 5

export const oneByOne = defineCheck({
  id: 'one-by-one',
  category: 'requests',
  severity: 'warning',
  section: '4.9',
  finds: 'read five or more countries, languages or users one by one',
  instead:
    'Read `/countries`, `/languages` or `/users` once: each is complete, with the same fields.',
  exercise: 'Let the client read countries, languages or users.',
  sees: Object.keys(RECORD_KINDS) as OperationId[],
  start: () => new Map<string, Singles>(),
  read: (request, report, open) => {
    const { operation, isRead, caller, path, rateMs, changes } = request
    if (!operation || !isRead) return
    report.meet()
    const kind = RECORD_KINDS[operation]
    const key = `${caller} ${kind}`
    if (operation.startsWith('list')) {
      open.delete(key)
      return
    }
    const known = open.get(key)
    const isOpen = known?.changes === changes && rateMs - known.lastMs <= MINUTE_MS
    const singles = isOpen ? known : { paths: [], requests: [], lastMs: 0, changes }
    if (singles !== known) remember(open, key, singles)
    singles.lastMs = rateMs
    if (singles.paths.includes(path) || singles.paths.length >= MINIMUM_RECORDS) return
    singles.paths.push(path)
    singles.requests.push(request.toNamed())
    if (singles.paths.length < MINIMUM_RECORDS) return
    report.fail(
      () =>
        `Requests ${listSequences(singles.requests)} read one by one the records that GET /${kind} lists.`,
      () => singles.requests,
    )
  },
})
