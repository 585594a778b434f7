import type { OperationId } from '../contract/routes.ts'
import type { Shown } from '../engine/messages.ts'
import type { Head, ResponseEnd, Sender } from '../journal/recorded-request.ts'
import type { Arrivals } from './arrivals.ts'

/** What is kept of the last request of a caller for a URL. */
export interface Visit {
  sequence: number
  /** When it arrived, by the rate clock in epoch milliseconds. */
  rateMs: number
  worldMs: number
  status: number
  isFailure: boolean
  /** null while its response is being sent, undefined where nobody observes that. */
  responseEnd?: ResponseEnd | null | undefined
  /** null without a Retry-After. */
  retryAfterMs: number | null
  /** How many commands had changed the world by then. */
  changes: number
  bodyBytes: number
}

/** A request as findings name it, even when it is no longer in the journal. */
export interface NamedRequest {
  sequence: number
  method: string
  /** With its query. */
  path: string
  status: number
  /** When it arrived, by the rate clock in epoch milliseconds. */
  rateMs: number
}

/** The longest path, with its query, that is named in full. */
const LONGEST = 300

/** A request and its response as checks see them. One object serves all requests, so a check copies what it keeps. */
export class ReviewedRequest implements Visit {
  sequence = 0
  rateMs = 0
  worldMs = 0
  status = 0
  isFailure = false
  responseEnd: ResponseEnd | null | undefined
  retryAfterMs: number | null = null
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
  /** Who sent it: the id of the token, `unknown` for an unknown one, `nobody` without an Authorization header. */
  caller = ''
  /** The caller and the URL. */
  key = ''
  /** undefined where it is unknown. */
  connection: number | undefined
  openConnections = 0
  /** The last requests, this one among them. */
  arrivals!: Arrivals
  /** Whether the client got a 200 with all of its body. */
  isRead = false
  shown: Shown | undefined
  /** Whether it asks for the rest of a body, as HTTP clients do on their own after half of one. */
  isForRest = false
  /** A digest of the content of a report. */
  contentDigest = 0
  /** Whether the report had been seen completed before its content was read. */
  isSeenCompleted = false
  /** The last request of the same caller for the same URL. */
  before: Visit | undefined
  /** Whether it arrived before the response to that request was sent. */
  isUnderWay = false
  /** How long it arrived after the last byte of that response, in milliseconds; Infinity for a first request. */
  waitedMs = Infinity
  /** Whether that response was sent within the last minute, and nothing has changed the world since. */
  isRetry = false
  readonly #redact: (text: string) => string

  /** `redact` hides bearer values. */
  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  /** What a check remembers of it, to name it in a finding. */
  toNamed(): NamedRequest {
    const { sequence, status, rateMs, path, query } = this
    const target = query === '' ? path : `${path}?${query}`
    const shown = target.length > LONGEST ? this.#redact(target) : target
    const { method } = this.sender
    return { sequence, method, path: shorten(shown), status, rateMs }
  }

  /** The same for the last request of the same caller for the same URL, which must exist. */
  toNamedBefore(): NamedRequest {
    const { sequence, status, rateMs } = this.before!
    return { ...this.toNamed(), sequence, status, rateMs }
  }
}

/** `3, 4, 7`: the sequences of requests, for a sentence. */
export function listSequences(requests: readonly NamedRequest[]): string {
  return requests.map(({ sequence }) => sequence).join(', ')
}

/** A path as findings have it. Bearer values are hidden before it is cut, because part of one would not be recognised. */
export function shorten(path: string): string {
  if (path.length <= LONGEST) return path
  // Joined, because a slice by itself would keep the whole path in memory.
  return [path.slice(0, LONGEST - 1), '…'].join('')
}

/** Whether neither it nor the last request for its URL failed. */
export function isPlain({ status, isFailure, before }: ReviewedRequest): boolean {
  const isWell = status === 200 && !isFailure
  return isWell && (before === undefined || (before.status === 200 && !before.isFailure))
}
