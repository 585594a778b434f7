import { digestOfText } from '../journal/digest.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { ReviewedRequest, Visit } from './reviewed-request.ts'

/** How many URLs, each by caller, are remembered. */
const MAXIMUM_VISITS = 5000
/** The longest key that is kept as it is. */
const MAXIMUM_KEY = 200

/** The key of the last request for a path: the next one usually has the same. */
interface Place {
  caller: string
  method: string
  query: string
  key: string
}

/** The last request for each URL, by caller. */
export class Visits {
  readonly #visits: Map<string, Visit>
  readonly #places = new WeakMap<RecordedRequest['target'], Place>()

  constructor(visits: Map<string, Visit>) {
    this.#visits = visits
  }

  get(key: string): Visit | undefined {
    return this.#visits.get(key)
  }

  /** The caller and the URL of a request. */
  keyOf({ target, query, sender: { method } }: RecordedRequest, caller: string): string {
    const place = this.#places.get(target)
    if (place && place.query === query && place.caller === caller && place.method === method) {
      return place.key
    }
    const key = toKey(caller, target.path, query, method)
    this.#places.set(target, { caller, method, query, key })
    return key
  }

  /** Remembers a request as the last one for its URL. */
  add(request: ReviewedRequest): void {
    const { before, key } = request
    if (before) {
      copyVisit(request, before)
      return
    }
    if (this.#visits.size >= MAXIMUM_VISITS) {
      const [oldest = ''] = this.#visits.keys()
      this.#visits.delete(oldest)
    }
    this.#visits.set(key, copyVisit(request, {} as Visit))
  }
}

function copyVisit(from: Visit, to: Visit): Visit {
  to.sequence = from.sequence
  to.rateMs = from.rateMs
  to.worldMs = from.worldMs
  to.status = from.status
  to.isFailure = from.isFailure
  to.responseEnd = from.responseEnd
  to.retryAfterMs = from.retryAfterMs
  to.changes = from.changes
  to.bodyBytes = from.bodyBytes
  return to
}

function toKey(caller: string, path: string, query: string, method: string): string {
  const key = `${caller} ${method} ${path}?${query}`
  if (key.length <= MAXIMUM_KEY) return key
  // Joined, because a slice by itself would keep the whole key in memory.
  return [key.slice(0, MAXIMUM_KEY), key.length, digestOfText(key)].join(' ')
}
