import type { MemoryUse } from '../contract/memory-use.ts'
import { digestOfText } from '../journal/digest.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { ReviewedRequest, Visit } from './reviewed-request.ts'

/** How many URLs, each by caller, are remembered. */
const MAXIMUM_VISITS = 5000
/** The longest key that is kept as it is. */
const MAXIMUM_KEY = 200
const VISIT_BYTES = 300

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
  readonly #memory: MemoryUse
  readonly #places = new WeakMap<RecordedRequest['target'], Place>()

  /** Their memory is counted in `memory`. */
  constructor(visits: Map<string, Visit>, memory: MemoryUse) {
    this.#visits = visits
    this.#memory = memory
    for (const key of visits.keys()) memory.add(bytesOfVisit(key))
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
      this.#memory.add(-bytesOfVisit(oldest))
    }
    this.#visits.set(key, copyVisit(request, {} as Visit))
    this.#memory.add(bytesOfVisit(key))
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

function bytesOfVisit(key: string): number {
  return VISIT_BYTES + key.length
}
