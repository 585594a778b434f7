import { HOUR_MS, MINUTE_MS } from '../contract/time.ts'
import { errorCodeOf, isCertificateCode } from '../server/file-errors.ts'
import { limitIn, toJsonValue } from './question.ts'
import type { ServiceAnswer, ComparedHeader, ServiceRequest } from './question.ts'

/**
 * Pauses after failed attempts at a question (a 429, a 5xx, a lost connection or a broken body), in milliseconds. `Retry-After`
 * can make a pause longer. A failure after the last pause ends the comparison.
 */
const PAUSES_MS = [30_000, 60_000, 120_000]

/** The comparison ends after this many consecutive 403s to `read` requests. */
const MAXIMUM_REFUSALS = 3

/** Rate limits of a token, in requests; `Infinity` for no limit. */
export interface Rate {
  perMinute: number
  perHour: number
}

export interface Received {
  status: number
  headers: { readonly [Name in ComparedHeader | 'date' | 'retry-after']?: string | undefined }
  body: string
}

/** Sends a request. Rejects if no complete response arrives. */
export type Send = (question: ServiceRequest) => Promise<Received>

export interface AskingClock {
  /** Epoch milliseconds. */
  now: () => number
  /** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

interface AskerOptions {
  send: Send
  clock: AskingClock
  rate: Rate
  /** Share of both rate windows to use, above 0 and at most 1. */
  share: number
  signal: AbortSignal
  /** Times of requests sent before an interruption, in epoch milliseconds, ascending. */
  sent: readonly number[]
  onSend: (atMs: number) => Promise<void>
}

/** A client that asks questions one after the other, within a share of the rate limits. */
export class Asker {
  readonly #options: AskerOptions
  readonly #sent: number[]
  #perMinute: number
  #refusals = 0
  /** Reason for the end of the comparison, as a sentence; undefined while the comparison continues. */
  stopReason: string | undefined

  constructor(options: AskerOptions) {
    this.#options = options
    this.#sent = [...options.sent]
    this.#perMinute = options.rate.perMinute
  }

  /** Number of requests sent, including those before an interruption. */
  get count(): number {
    return this.#sent.length
  }

  estimateMs(requests: number): number {
    const { rate, share } = this.#options
    return estimateMs(requests, { perMinute: this.#perMinute, perHour: rate.perHour }, share)
  }

  /** Asks a question until it is answered. If the comparison must end first, sets `stopReason` and returns undefined. */
  async ask(question: ServiceRequest): Promise<ServiceAnswer | undefined> {
    let failures = 0
    for (;;) {
      await this.#waitForTurn()
      if (this.#isStopped()) return undefined
      const sentMs = this.#options.clock.now()
      this.#sent.push(sentMs)
      await this.#options.onSend(sentMs)
      const received = await this.#options.send(question).catch((error: unknown) => {
        const code = errorCodeOf(error)
        if (isCertificateCode(code)) {
          this.#stop(`Its certificate is not trusted (${code}). Name its CA certificate with --ca.`)
        }
        return toReason(error)
      })
      if (this.#isStopped()) return undefined
      const failure = typeof received === 'string' ? received : failureOf(received)
      if (typeof received !== 'string') {
        const limit = limitIn(received) ?? this.#perMinute
        this.#perMinute = Math.min(this.#options.rate.perMinute, limit)
        if (failure === undefined) return this.#accept(question, received, sentMs)
      }
      const pauseMs = PAUSES_MS[failures]
      failures += 1
      if (pauseMs === undefined)
        return this.#stop(`${failure} That was ${failures} times in a row.`)
      const asked = typeof received === 'string' ? 0 : retryAfterMs(received, sentMs)
      await this.#wait(Math.max(pauseMs, asked))
    }
  }

  #accept(question: ServiceRequest, received: Received, sentMs: number): ServiceAnswer | undefined {
    const { status, headers, body } = received
    if (status === 401 && question.authorization === undefined) {
      return this.#stop('The service answered 401: the token is not valid.')
    }
    if (question.role === 'read') this.#refusals = status === 403 ? this.#refusals + 1 : 0
    if (this.#refusals === MAXIMUM_REFUSALS) {
      return this.#stop(
        `The service answered 403 to ${MAXIMUM_REFUSALS} requests in a row. Check the token's addresses and abilities.`,
      )
    }
    const { date, 'retry-after': _, ...compared } = headers
    const dateMs = Date.parse(date ?? '')
    const at = new Date(Number.isNaN(dateMs) ? sentMs : dateMs).toISOString()
    return { question, status, headers: compared, body, at }
  }

  #stop(reason: string): undefined {
    this.stopReason = reason
    return undefined
  }

  #isStopped(): boolean {
    if (this.#options.signal.aborted) this.stopReason ??= 'It was interrupted.'
    return this.stopReason !== undefined
  }

  async #waitForTurn(): Promise<void> {
    const { rate, share, clock } = this.#options
    const lastMs = this.#sent.at(-1)
    if (lastMs === undefined) return
    const hourly = this.#sent[this.#sent.length - Math.max(1, Math.floor(share * rate.perHour))]
    const dueMs = Math.max(
      lastMs + intervalMs(this.#perMinute, share),
      hourly === undefined ? 0 : hourly + HOUR_MS + 1000,
    )
    await this.#wait(dueMs - clock.now())
  }

  async #wait(ms: number): Promise<void> {
    if (ms > 0) await this.#options.clock.wait(ms, this.#options.signal)
  }
}

function intervalMs(perMinute: number, share: number): number {
  return MINUTE_MS / (share * perMinute)
}

export function estimateMs(requests: number, { perMinute, perHour }: Rate, share: number): number {
  const ofHour = Math.max(1, Math.floor(share * perHour))
  if (requests > ofHour)
    return HOUR_MS + estimateMs(requests - ofHour, { perMinute, perHour }, share)
  return requests * intervalMs(perMinute, share)
}

/** Returns the reason to repeat a question, as a sentence; undefined if the response is usable. */
function failureOf({ status, headers, body }: Received): string | undefined {
  if (status === 429 || status >= 500) return `The service answered ${status}.`
  const isJson = headers['content-type']?.includes('json') === true
  const isBroken = status === 200 && isJson && toJsonValue(body) === undefined
  return isBroken ? 'The service sent a body that is not the JSON it should be.' : undefined
}

/**
 * Describes a failed connection in a sentence. The sentence contains only the code of the error, because an error message may
 * quote the request.
 */
function toReason(error: unknown): string {
  if (!(error instanceof Error)) throw error
  const code = 'code' in error ? ` (${String(error.code)})` : ''
  return `The service sent no complete response${code}.`
}

/** Parses `Retry-After`, in seconds or as a date. Returns the wait in milliseconds; 0 without a valid header. */
function retryAfterMs({ headers }: Received, nowMs: number): number {
  const text = headers['retry-after'] ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const dateMs = Date.parse(text)
  return Number.isNaN(dateMs) ? 0 : Math.max(0, dateMs - nowMs)
}
