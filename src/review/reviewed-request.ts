import type { OperationId } from '../contract/routes.ts'
import type { Shown } from '../engine/messages.ts'
import type { Head, ResponseEnd, Sender } from '../journal/recorded-request.ts'

/** What is kept of the last request of a caller for a URL. */
export interface Visit {
  sequence: number
  /** When it arrived, by the rate clock in epoch milliseconds. */
  rateMs: number
  worldMs: number
  status: number
  isFailure: boolean
  /** null while its response is under way, undefined where only its arrival is known. */
  responseEnd?: ResponseEnd | null | undefined
  /** null without a Retry-After. */
  retryAfterMs: number | null
  /** How many commands had changed the world. */
  changes: number
  bodyBytes: number
}

/** What checks know of a request and its response. The reviewer reuses one, so that checks copy what they keep. */
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
  /** The project in the path; null where there is none. */
  project: number | null = null
  /** Who sent it: the id of the token, `unknown` for any unknown one, `nobody` without an Authorization header. */
  caller = ''
  /** The caller and the URL. */
  key = ''
  /** Whether the client got a whole 200 with its body. */
  isRead = false
  shown: Shown | undefined
  /** Of the content of a report. */
  contentDigest = 0
  /** Whether the report whose content was read had been seen completed before. */
  isSeenCompleted = false
  /** The last request of the same caller for the same URL. */
  before: Visit | undefined
  /** Whether it arrived before the response to that one was sent. */
  isUnderWay = false
  /** How long after the last byte of the response to that one it arrived, in milliseconds; Infinity for a first request. */
  waitedMs = Infinity
  /** Whether that one was answered less than a minute ago, and nothing has changed the world since. */
  isRetry = false
}

/** Whether neither it nor the last request for its URL has failed. */
export function isPlain({ status, isFailure, before }: ReviewedRequest): boolean {
  const isWell = status === 200 && !isFailure
  return isWell && (before === undefined || (before.status === 200 && !before.isFailure))
}
