import type { ReadPolicy } from '../contract/policies.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { ApiResponse } from './messages.ts'
import type { Verdict } from './rate-limiter.ts'

export type WrittenHeaders = Pick<ApiResponse, 'headers' | 'waitSeconds'>

/** Values of headers; undefined for a header that is left out. */
interface Fields {
  type: string
  /** The rate clock in whole seconds. */
  second: number
  limit: number | string | undefined
  remaining: number | string | undefined
  waitSeconds: number | undefined
  /** Time at which the window that the 429 names resets, as a Unix timestamp in seconds. */
  resetSecond: number | undefined
  allow: string | undefined
  location: string | undefined
}

export interface ResponseFacts {
  type: string
  /** The state of the token's limits; undefined if the headers do not show it. */
  verdict: Verdict | undefined
  /** Reason for a status other than 200; undefined for a 200. */
  problem: ProblemCode | undefined
  /** The rate clock in epoch milliseconds. */
  rateMs: number
}

/**
 * Formats the headers of responses. Headers that equal the previous ones, as most do within a second, are the same object, so that
 * the journal can compare them by identity.
 */
export class ResponseHeaders {
  readonly #policy: ReadPolicy
  #date = { second: NaN, text: '' }
  #last: { fields: Fields; written: WrittenHeaders } | undefined

  constructor(policy: ReadPolicy) {
    this.#policy = policy
  }

  write({ type, verdict, problem, rateMs }: ResponseFacts): WrittenHeaders {
    const limit = verdict && this.#limit(verdict)
    const rejection = verdict && !verdict.allowed ? this.#rejection(verdict, rateMs) : undefined
    const fields: Fields = {
      type,
      second: Math.floor(rateMs / 1000),
      limit,
      remaining: verdict?.remaining ?? limit,
      waitSeconds: rejection?.waitSeconds,
      resetSecond: rejection?.resetSecond,
      allow: problem === 'method_not_allowed' ? 'GET, HEAD' : undefined,
      location: problem === 'login_required' ? '/login' : undefined,
    }
    if (this.#last && isSame(fields, this.#last.fields)) return this.#last.written
    const written = { headers: this.#format(fields), waitSeconds: fields.waitSeconds }
    this.#last = { fields, written }
    return written
  }

  /** Returns the value of X-RateLimit-Limit, the limit per minute (specification 8); undefined if the header is left out. */
  #limit({ limit }: Verdict): number | string | undefined {
    if (limit !== 'unlimited') return limit
    const figure = this.#policy('unlimited-headers')
    return figure === 'omitted' ? undefined : figure
  }

  /** Returns the values of the headers that only a 429 has (specification 8, trap T13); undefined if `resetMs` is null. */
  #rejection(
    { resetMs }: Verdict,
    nowMs: number,
  ): Record<'waitSeconds' | 'resetSecond', number> | undefined {
    if (resetMs === null) return undefined
    const rounding = this.#policy('reset-rounding')
    const round = rounding === 'up' ? Math.ceil : Math.floor
    const waitSeconds = Math.max(rounding === 'up' ? 1 : 0, round((resetMs - nowMs) / 1000))
    return { waitSeconds, resetSecond: round(resetMs / 1000) }
  }

  #format(fields: Fields): ApiResponse['headers'] {
    const { type, second, limit, remaining, waitSeconds, resetSecond, allow, location } = fields
    const headers: Record<string, string> = {
      'Content-Type': type,
      'Cache-Control': 'no-cache, private',
      Date: this.#dateOf(second),
    }
    if (limit !== undefined) headers['X-RateLimit-Limit'] = String(limit)
    if (remaining !== undefined) headers['X-RateLimit-Remaining'] = String(remaining)
    if (waitSeconds !== undefined) headers['Retry-After'] = String(waitSeconds)
    if (resetSecond !== undefined) headers['X-RateLimit-Reset'] = String(resetSecond)
    if (allow !== undefined) headers['Allow'] = allow
    if (location !== undefined) headers['Location'] = location
    return Object.freeze(headers)
  }

  #dateOf(second: number): string {
    if (this.#date.second !== second) {
      this.#date = { second, text: new Date(second * 1000).toUTCString() }
    }
    return this.#date.text
  }
}

function isSame(one: Fields, other: Fields): boolean {
  return (
    one.type === other.type &&
    one.second === other.second &&
    one.limit === other.limit &&
    one.remaining === other.remaining &&
    one.waitSeconds === other.waitSeconds &&
    one.resetSecond === other.resetSecond &&
    one.allow === other.allow &&
    one.location === other.location
  )
}
