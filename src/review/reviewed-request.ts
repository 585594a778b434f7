import { memoize, memoizeByObject } from '../contract/cache.ts'
import { DEFAULT_PER_PAGE } from '../contract/limits.ts'
import type { OperationId } from '../contract/routes.ts'
import type { Shown } from '../engine/messages.ts'
import { digestOfText } from '../journal/digest.ts'
import type { Head, ResponseEnd, Sender, RecordedRequest } from '../journal/recorded-request.ts'

/** The remembered facts of a caller's last request for a URL. */
export interface LastRequest {
  sequence: number
  /** Arrival by the rate clock, in epoch milliseconds. */
  rateMs: number
  worldMs: number
  status: number
  isFailure: boolean
  /** null while the response is being sent, undefined if nobody observes that. */
  responseEnd?: ResponseEnd | null | undefined
  /** null unless the response has a Retry-After in seconds. */
  retryAfterMs: number | null
  /** The date in its Retry-After, by the rate clock in epoch milliseconds; null if it has no date in the future. */
  retryDateMs: number | null
  /** Number of commands that had changed the world by then. */
  changes: number
  bodyBytes: number
}

/** A request as findings name it, even when it is no longer in the journal. */
export interface NamedRequest {
  sequence: number
  method: string
  /** Path with query. */
  path: string
  status: number
  /** Arrival by the rate clock, in epoch milliseconds. */
  rateMs: number
}

/** Maximum length of a path with its query that is named in full. */
const LONGEST = 300

/** A request and its response as checks see them. One object serves all requests, so a check copies the values it keeps. */
export class ReviewedRequest implements LastRequest {
  sequence = 0
  rateMs = 0
  worldMs = 0
  status = 0
  isFailure = false
  responseEnd: ResponseEnd | null | undefined
  retryAfterMs: number | null = null
  retryDateMs: number | null = null
  changes = 0
  bodyBytes = 0
  sender!: Sender
  head!: Head
  path = ''
  query = ''
  /** undefined for an unknown path. */
  operation: OperationId | undefined
  /** The project in the path; null if it has none. */
  project: number | null = null
  /** The sender: the id of its token, `unknown` for an unknown token, `nobody` without an Authorization header. */
  caller = ''
  /** The caller and the URL. */
  key = ''
  /** Maximum number of connections that were open when the caller sent a request; undefined if unknown. */
  overlap: number | undefined
  /** True if the client got a 200 with all of its body. */
  isRead = false
  shown: Shown | undefined
  /** True if it asks for the rest of a body, as HTTP clients do unprompted after half of one. */
  isForRest = false
  /** Digest of a report's content. */
  contentDigest = 0
  /** True if the report was seen completed before its content was read. */
  isSeenCompleted = false
  /** The last request of the same caller for the same URL. */
  before: LastRequest | undefined
  /** True if it arrived before the response to `before` was sent. */
  isUnderWay = false
  /** Time since the last byte of the response to `before`, in milliseconds; Infinity for a first request. */
  waitedMs = Infinity
  /** True if the response to `before` was sent within the last minute, and nothing has changed the world since. */
  isRetry = false
  readonly #redact: (text: string) => string

  /** @param redact hides bearer values */
  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  /** Returns a copy that a check can keep, to name the request in a finding. */
  toNamed(): NamedRequest {
    const { sequence, status, rateMs, path, query } = this
    const target = query === '' ? path : `${path}?${query}`
    const shown = target.length > LONGEST ? this.#redact(target) : target
    const { method } = this.sender
    return { sequence, method, path: shortenPath(shown), status, rateMs }
  }

  /** Returns a copy of `before`, which must exist, to name it in a finding. */
  toNamedBefore(): NamedRequest {
    const { sequence, status, rateMs } = this.before!
    return { ...this.toNamed(), sequence, status, rateMs }
  }
}

/** Returns the sequences of requests, as in `3, 4, 7`, for a sentence. */
export function listSequences(requests: readonly NamedRequest[]): string {
  return requests.map(({ sequence }) => sequence).join(', ')
}

/** Shortens a path for a finding. Bearer values are hidden before it is cut, because part of one would not be recognised. */
export function shortenPath(path: string): string {
  if (path.length <= LONGEST) return path
  // Joined, because a slice by itself would keep the whole path in memory.
  return [path.slice(0, LONGEST - 1), '…'].join('')
}

/** True if the request got a 200 and did not fail, and the same holds for `before`, if there is one. */
export function hasNoFailure({ status, isFailure, before }: ReviewedRequest): boolean {
  const isWell = status === 200 && !isFailure
  return isWell && (before === undefined || (before.status === 200 && !before.isFailure))
}

/** Maximum number of remembered keys, each a caller, a method and a URL. */
const MAXIMUM_LAST_REQUESTS = 5000
/** Maximum length of a key that is kept unchanged. */
const MAXIMUM_KEY = 200

/** The last key for a path: the next request usually has the same one. */
interface Place {
  caller: string
  method: string
  query: string
  key: string
}

/** The last request for each URL, by caller. */
export class LastRequests {
  readonly #lastRequests: Map<string, LastRequest>
  readonly #places = new WeakMap<RecordedRequest['target'], Place>()

  constructor(lastRequests: Map<string, LastRequest>) {
    this.#lastRequests = lastRequests
  }

  get(key: string): LastRequest | undefined {
    return this.#lastRequests.get(key)
  }

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
      copyLastRequest(request, before)
      return
    }
    if (this.#lastRequests.size >= MAXIMUM_LAST_REQUESTS) {
      const [oldest = ''] = this.#lastRequests.keys()
      this.#lastRequests.delete(oldest)
    }
    this.#lastRequests.set(key, copyLastRequest(request, {} as LastRequest))
  }
}

function copyLastRequest(from: LastRequest, to: LastRequest): LastRequest {
  to.sequence = from.sequence
  to.rateMs = from.rateMs
  to.worldMs = from.worldMs
  to.status = from.status
  to.isFailure = from.isFailure
  to.responseEnd = from.responseEnd
  to.retryAfterMs = from.retryAfterMs
  to.retryDateMs = from.retryDateMs
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

/** True for a request that the client itself sent, not its browser (a preflight) or the console. */
export function isOfClient({ sender }: Pick<RecordedRequest, 'sender'>): boolean {
  return sender.method !== 'OPTIONS' && !sender.fromConsole
}

/** Returns the status that the client received; 0 if no response arrived, even if one was sent. */
export function statusOf({ responseEnd, head }: RecordedRequest): number {
  return responseEnd?.isAborted === true ? 0 : head.status
}

/** True if the response did not arrive whole, or cannot be read. */
function isBroken(recorded: RecordedRequest): boolean {
  const { responseEnd, head, shown } = recorded
  const isCut = responseEnd?.isAborted === true || head.wire?.end !== undefined
  return isCut || (head.status === 200 && shown === undefined)
}

/** True for a failure that another attempt may fix. */
export function isFailed(recorded: RecordedRequest): boolean {
  return statusOf(recorded) >= 500 || isBroken(recorded)
}

/** True for a GET whose client got a 200 with all of its body. */
export function isRead(recorded: RecordedRequest): boolean {
  return statusOf(recorded) === 200 && recorded.sender.method === 'GET' && !isBroken(recorded)
}

/** The parameters of a query, in their order. */
export const parametersOf = memoize((query: string): readonly (readonly [string, string])[] => [
  ...new URLSearchParams(query),
])

/** A page of a list: its number and the other parameters, sorted. */
export interface PageUrl {
  page: number
  filters: readonly string[]
  /** Number and filters as one text. */
  text: string
}

/** Parses the page that a query asks for, without the parameters that change nothing. */
export const pageUrlOf = memoize((query: string): PageUrl => {
  const parameters = parametersOf(query)
  const page = Number(parameters.findLast(([name]) => name === 'page')?.[1] || 1)
  const filters = parameters
    .filter(([name, value]) => name !== 'page' && value !== '')
    .filter(([name, value]) => name !== 'per_page' || value !== String(DEFAULT_PER_PAGE))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
  return toPageUrl(Number.isSafeInteger(page) ? page : 1, filters)
})

/** Returns the page size that a query asks for. */
export function pageSizeOf(query: string): number {
  const size = parametersOf(query).findLast(([name]) => name === 'per_page')?.[1]
  return Number(size) || DEFAULT_PER_PAGE
}

/** The page that a list links to; undefined on the last page, and for a body that is not a list. */
export const nextPageOf = memoizeByObject(({ next }: Shown): PageUrl | undefined =>
  next ? pageUrlOf(next.slice(next.indexOf('?') + 1)) : undefined,
)

/** Returns the first page of the same list. */
export function firstPageOf({ filters }: PageUrl): PageUrl {
  return toPageUrl(1, filters)
}

function toPageUrl(page: number, filters: readonly string[]): PageUrl {
  return { page, filters, text: `${page} ${filters.join('&')}` }
}

/** True if a link has all the filters of a page, regardless of the page size. */
export function isWithin(filters: readonly string[], link: readonly string[]): boolean {
  return filters.every((filter) => filter.startsWith('per_page=') || link.includes(filter))
}

export function isSameFilters(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((filter, index) => filter === other[index])
}
