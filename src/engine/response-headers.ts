import type { ReadPolicy } from '../contract/policies.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { ApiResponse } from './messages.ts'
import type { Verdict } from './rate-limiter.ts'

type Headers = ApiResponse['headers']

/** The values of headers as they are sent; undefined for those that are left out. */
interface Fields {
  type: string
  date: string
  limit: string | undefined
  remaining: string | undefined
  retryAfter: string | undefined
  reset: string | undefined
  allow: string | undefined
  location: string | undefined
}

/** What the headers of a response depend on. */
export interface Described {
  /** The type of its body. */
  type: string
  /** The state of the token's limits; undefined where headers do not show it. */
  verdict: Verdict | undefined
  /** Why it is not a 200. */
  problem: ProblemCode | undefined
  /** The rate clock in epoch milliseconds. */
  rateMs: number
}

/**
 * Writes the headers of responses. Headers equal to the previous ones, as is common within a second, are the
 * same object, so that the journal can compare them by identity.
 */
export class ResponseHeaders {
  readonly #policy: ReadPolicy
  /** The second of the last `Date` header, and its text. */
  #date = { second: NaN, text: '' }
  #last: { fields: Fields; headers: Headers } | undefined

  constructor(policy: ReadPolicy) {
    this.#policy = policy
  }

  write({ type, verdict, problem, rateMs }: Described): Headers {
    const limit = verdict && this.#limit(verdict)
    const rejection = verdict && !verdict.allowed ? this.#rejection(verdict, rateMs) : undefined
    const fields: Fields = {
      type,
      date: this.#dateOf(rateMs),
      limit,
      remaining: verdict && (verdict.remaining === null ? limit : String(verdict.remaining)),
      retryAfter: rejection?.retryAfter,
      reset: rejection?.reset,
      allow: problem === 'method_not_allowed' ? 'GET, HEAD' : undefined,
      location: problem === 'login_required' ? '/login' : undefined,
    }
    if (this.#last && isSame(fields, this.#last.fields)) return this.#last.headers
    const headers = toHeaders(fields)
    this.#last = { fields, headers }
    return headers
  }

  /** Requests per minute (specification 8); undefined where the header is left out. */
  #limit({ limit }: Verdict): string | undefined {
    if (limit !== 'unlimited') return String(limit)
    const figure = this.#policy('unlimited-headers')
    return figure === 'omitted' ? undefined : figure
  }

  /** The headers that only a 429 has (specification 8, trap T13). */
  #rejection(
    { resetMs }: Verdict,
    nowMs: number,
  ): Record<'retryAfter' | 'reset', string> | undefined {
    if (resetMs === null) return undefined
    const rounding = this.#policy('reset-rounding')
    const round = rounding === 'up' ? Math.ceil : Math.floor
    const waitSeconds = Math.max(rounding === 'up' ? 1 : 0, round((resetMs - nowMs) / 1000))
    return { retryAfter: String(waitSeconds), reset: String(round(resetMs / 1000)) }
  }

  /** A time as a `Date` header, formatted once per second. */
  #dateOf(ms: number): string {
    const second = Math.floor(ms / 1000)
    if (this.#date.second !== second) {
      this.#date = { second, text: new Date(second * 1000).toUTCString() }
    }
    return this.#date.text
  }
}

function isSame(one: Fields, other: Fields): boolean {
  return (
    one.type === other.type &&
    one.date === other.date &&
    one.limit === other.limit &&
    one.remaining === other.remaining &&
    one.retryAfter === other.retryAfter &&
    one.reset === other.reset &&
    one.allow === other.allow &&
    one.location === other.location
  )
}

function toHeaders({ type, date, limit, remaining, ...rare }: Fields): Headers {
  const headers: Record<string, string> = {
    'Content-Type': type,
    'Cache-Control': 'no-cache, private',
    Date: date,
  }
  if (limit !== undefined) headers['X-RateLimit-Limit'] = limit
  if (remaining !== undefined) headers['X-RateLimit-Remaining'] = remaining
  if (rare.retryAfter !== undefined) headers['Retry-After'] = rare.retryAfter
  if (rare.reset !== undefined) headers['X-RateLimit-Reset'] = rare.reset
  if (rare.allow !== undefined) headers['Allow'] = rare.allow
  if (rare.location !== undefined) headers['Location'] = rare.location
  return Object.freeze(headers)
}
