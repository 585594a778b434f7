import { memoize, memoizeByObject } from '../contract/cache.ts'
import { DEFAULT_PER_PAGE, MAXIMUM_PER_PAGE } from '../contract/limits.ts'
import type { OperationId } from '../contract/routes.ts'
import type { Shown } from '../engine/messages.ts'
import { knownParameters, parsePlainDecimal } from '../engine/parameters.ts'
import { digestOfText } from '../journal/digest.ts'
import type { Head, ResponseEnd, Sender, RecordedRequest } from '../journal/recorded-request.ts'

/** The last request that a caller made with a given method and URL. */
export interface LastRequest {
  sequence: number
  /** Arrival by the rate clock, in epoch milliseconds. */
  rateMs: number
  worldMs: number
  status: number
  isFailure: boolean
  /** Null while the response is being sent; undefined if its end is not observed. */
  responseEnd?: ResponseEnd | null | undefined
  /** Wait in milliseconds, from a Retry-After in seconds; null without one, or if no response arrived. */
  retryAfterMs: number | null
  /** Future date in the Retry-After of a 503, by the rate clock in epoch milliseconds; null without one. */
  retryDateMs: number | null
  /** Number of commands in the session before the request, except those that only move the clock. */
  changes: number
  bodyBytes: number
}

/** A request as findings name it, even if it is no longer in the journal. */
export interface NamedRequest {
  sequence: number
  method: string
  /** The path with the query, cut off after `MAXIMUM_PATH_LENGTH` characters. */
  path: string
  status: number
  /** Arrival by the rate clock, in epoch milliseconds. */
  rateMs: number
}

const MAXIMUM_PATH_LENGTH = 300

/**
 * A request and its response as checks see them. One object is reused for all requests, so a check must copy values
 * that it keeps.
 */
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
  /** Undefined for an unknown path. */
  operation: OperationId | undefined
  /** The project in the path; null if the path has none. */
  project: number | null = null
  /** The sender: the id of its token, `unknown` for an unknown token, or `nobody` without an Authorization header. */
  caller = ''
  /** The caller, the method and the URL. */
  key = ''
  /**
   * Highest number of connections open at once when the caller sent this or an earlier request; undefined if unknown.
   */
  overlap: number | undefined
  /** True for a GET that got a 200 with a whole, readable body. */
  isRead = false
  shown: Shown | undefined
  /** True if the request asks for the rest of a body, as HTTP clients do unprompted after receiving part of it. */
  isForRest = false
  contentDigest = 0
  /**
   * True if the report was seen completed before this request for its content. Also true if that is unknown, and for
   * other endpoints.
   */
  isSeenCompleted = false
  /** The previous request of the same caller with the same method and URL; undefined if there is none. */
  before: LastRequest | undefined
  /** True if the request arrived before the end of the response to `before`. */
  isUnderWay = false
  /**
   * Time on the rate clock from the end of the response to `before` until this request, in milliseconds; from the
   * arrival of `before` if that end is unknown. Infinity without `before`.
   */
  waitedMs = Infinity
  /**
   * True if the response to `before` ended at most a minute ago, by the rate clock, and no command has changed the
   * world since `before` arrived.
   */
  isRetry = false
  readonly #redact: (text: string) => string

  /** @param redact hides bearer values */
  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  toNamed(): NamedRequest {
    const { sequence, status, rateMs, path, query } = this
    const target = query === '' ? path : `${path}?${query}`
    const shown = target.length > MAXIMUM_PATH_LENGTH ? this.#redact(target) : target
    const { method } = this.sender
    return { sequence, method, path: shortenPath(shown), status, rateMs }
  }

  /** Returns a copy of `before`, which must exist, for use in a finding. */
  toNamedBefore(): NamedRequest {
    const { sequence, status, rateMs } = this.before!
    return { ...this.toNamed(), sequence, status, rateMs }
  }
}

/** Joins the sequence numbers of requests, for use in a sentence: `3, 4, 7`. */
export function listSequences(requests: readonly NamedRequest[]): string {
  return requests.map(({ sequence }) => sequence).join(', ')
}

/** Shortens a path for a finding. Redact the path first: a truncated bearer value would not be recognised. */
export function shortenPath(path: string): string {
  if (path.length <= MAXIMUM_PATH_LENGTH) return path
  // Joined, because a slice alone would keep the whole path in memory.
  return [path.slice(0, MAXIMUM_PATH_LENGTH - 1), '…'].join('')
}

/** True if a request, and `before` if there is one, got a 200 with a whole, readable body. */
export function hasNoFailure({ status, isFailure, before }: ReviewedRequest): boolean {
  const isWell = status === 200 && !isFailure
  return isWell && (before === undefined || (before.status === 200 && !before.isFailure))
}

const MAXIMUM_LAST_REQUESTS = 5000
const MAXIMUM_KEY_LENGTH = 200

/** The last key for a path, cached because the next request for the path usually has the same key. */
interface CachedKey {
  caller: string
  method: string
  query: string
  key: string
}

export class LastRequests {
  readonly #lastRequests: Map<string, LastRequest>
  readonly #cachedKeys = new WeakMap<RecordedRequest['target'], CachedKey>()

  constructor(lastRequests: Map<string, LastRequest>) {
    this.#lastRequests = lastRequests
  }

  get(key: string): LastRequest | undefined {
    return this.#lastRequests.get(key)
  }

  keyOf({ target, query, sender: { method } }: RecordedRequest, caller: string): string {
    const cached = this.#cachedKeys.get(target)
    if (cached && cached.query === query && cached.caller === caller && cached.method === method) {
      return cached.key
    }
    const key = toKey(caller, target.path, query, method)
    this.#cachedKeys.set(target, { caller, method, query, key })
    return key
  }

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
  if (key.length <= MAXIMUM_KEY_LENGTH) return key
  // Joined, because a slice alone would keep the whole key in memory.
  return [key.slice(0, MAXIMUM_KEY_LENGTH), key.length, digestOfText(key)].join(' ')
}

/** True unless the request comes from the console, or is an OPTIONS request, such as a browser's preflight. */
export function isOfClient({ sender }: Pick<RecordedRequest, 'sender'>): boolean {
  return sender.method !== 'OPTIONS' && !sender.fromConsole
}

/**
 * Returns the status that the client received; 0 if no response was sent, or if the client disconnected before its last
 * byte.
 */
export function statusOf({ responseEnd, head }: RecordedRequest): number {
  return responseEnd?.isAborted === true ? 0 : head.status
}

/** True if the response was cut off, or is a 200 with an unreadable body. */
function isBroken(recorded: RecordedRequest): boolean {
  const { responseEnd, head, shown } = recorded
  const isCut = responseEnd?.isAborted === true || head.wire?.end !== undefined
  return isCut || (head.status === 200 && shown === undefined)
}

/** True for a failure that another attempt may fix. */
export function isFailed(recorded: RecordedRequest): boolean {
  return statusOf(recorded) >= 500 || isBroken(recorded)
}

export function isRead(recorded: RecordedRequest): boolean {
  return statusOf(recorded) === 200 && recorded.sender.method === 'GET' && !isBroken(recorded)
}

export const parametersOf = memoize((query: string): readonly (readonly [string, string])[] => [
  ...new URLSearchParams(query),
])

/**
 * Returns the resource of a request as a string, regardless of the method, a slash at the end of the path, and
 * parameters without effect.
 */
export function resourceOf({
  operation,
  path,
  query,
}: Readonly<Pick<ReviewedRequest, 'operation' | 'path' | 'query'>>): string {
  const own = path.endsWith('/') ? path.slice(0, -1) : path
  if (operation !== 'listProjects') return own
  const known: readonly string[] = knownParameters(operation)
  const parameters = parametersOf(query).filter(([name]) => known.includes(name))
  return `${own}?${parameters.map((pair) => pair.join('=')).join('&')}`
}

/** A page of the project list: its number, and the other parameters of its query, sorted as `name=value`. */
export interface PageUrl {
  page: number
  filters: readonly string[]
  /** The number and filters as one string, to compare pages. */
  text: string
}

/**
 * Returns the page of projects that a query asks for, page 1 by default. Drops empty parameters and the default page
 * size, which have no effect.
 */
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

export function pageSizeOf(query: string): number {
  const size = parametersOf(query).findLast(([name]) => name === 'per_page')?.[1]
  return Number(size) || DEFAULT_PER_PAGE
}

const nextPageOf = memoizeByObject(({ next }: Shown): PageUrl | undefined =>
  next ? pageUrlOf(next.slice(next.indexOf('?') + 1)) : undefined,
)

/**
 * Returns the page that a list links to; undefined without a link. Adds the valid filters and page size of `query` that
 * the link lacks, because policy `page-link-parameters` may leave them out.
 */
export function nextPageFor(shown: Shown, query: string): PageUrl | undefined {
  const next = nextPageOf(shown)
  if (!next) return undefined
  const inLink = new Set(next.filters.map(nameOfFilter))
  const lacking = pageUrlOf(query).filters.filter(
    (filter) => isValidFilter(filter) && !inLink.has(nameOfFilter(filter)),
  )
  return lacking.length === 0
    ? next
    : toPageUrl(next.page, [...next.filters, ...lacking].toSorted())
}

function isValidFilter(filter: string): boolean {
  const known: readonly string[] = knownParameters('listProjects')
  const size = /^per_page=(.*)$/.exec(filter)?.[1]
  if (size === undefined) return known.includes(nameOfFilter(filter))
  const number = parsePlainDecimal(size) ?? 0
  return number >= 1 && number <= MAXIMUM_PER_PAGE
}

function nameOfFilter(filter: string): string {
  return filter.slice(0, filter.indexOf('='))
}

export function firstPageOf({ filters }: PageUrl): PageUrl {
  return toPageUrl(1, filters)
}

function toPageUrl(page: number, filters: readonly string[]): PageUrl {
  return { page, filters, text: `${page} ${filters.join('&')}` }
}

/** True if a link has all of `filters`, except a page size, which is ignored. */
export function isWithin(filters: readonly string[], link: readonly string[]): boolean {
  return filters.every((filter) => filter.startsWith('per_page=') || link.includes(filter))
}

export function isSameFilters(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((filter, index) => filter === other[index])
}
