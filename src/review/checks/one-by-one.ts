import { defineCheck, remember } from '../check.ts'

/** The requests for one record after the other. */
interface Singles {
  paths: string[]
  requests: number[]
  /** When the last one arrived, by the rate clock in epoch milliseconds. */
  lastMs: number
}

/** The list of each kind, by the operation for one of them. */
const LISTS: Partial<Record<string, string>> = {
  getCountry: 'listCountries',
  getLanguage: 'listLanguages',
  getUser: 'listUsers',
}
const ENDPOINTS: Partial<Record<string, string>> = {
  listCountries: 'GET /countries',
  listLanguages: 'GET /languages',
  listUsers: 'GET /users',
}

/** So many different ones, each within a minute of the one before it. */
const MANY = 5
const PAUSE_MS = 60_000

export const oneByOne = defineCheck({
  id: 'one-by-one',
  category: 'requests',
  severity: 'warning',
  section: '4.9',
  finds:
    'Five or more countries, languages or users were read one by one, though one request lists them all',
  instead:
    'Read `/countries`, `/languages` or `/users` once: each is complete, with the same fields.',
  sees: ['getCountry', 'getLanguage', 'getUser', 'listCountries', 'listLanguages', 'listUsers'],
  start: () => new Map<string, Singles>(),
  read: (open, { operation, isRead, caller, path, rateMs, sequence }, report) => {
    if (operation === undefined || !isRead) return
    const list = LISTS[operation]
    if (list === undefined) {
      if (!(operation in ENDPOINTS)) return
      report.meet()
      open.delete(`${caller} ${operation}`)
      return
    }
    report.meet()
    const key = `${caller} ${list}`
    const known = open.get(key)
    const singles =
      known && rateMs - known.lastMs <= PAUSE_MS ? known : { paths: [], requests: [], lastMs: 0 }
    if (singles !== known) remember(open, key, singles)
    singles.lastMs = rateMs
    if (singles.paths.includes(path) || singles.paths.length >= MANY) return
    singles.paths.push(path)
    singles.requests.push(sequence)
    if (singles.paths.length < MANY) return
    report.fail(() => ({
      requests: [...singles.requests],
      message: `Requests ${singles.requests.join(', ')} read one by one what ${ENDPOINTS[list]} lists.`,
    }))
  },
})
