import { createHash, timingSafeEqual } from 'node:crypto'
import { Cache } from '../contract/cache.ts'
import type { Requester } from '../control-api/guard.ts'

/**
 * Creates a function that compares the key in an `Authorization` header with the admin key, in constant time. The function returns
 * undefined if the server has no admin key, or the header has no bearer value.
 */
export function createKeyReader(
  adminKey: string | undefined,
): (authorization: string | undefined) => Requester['shown'] {
  if (adminKey === undefined) return () => undefined
  const digest = toDigest(adminKey)
  return (authorization = '') => {
    const shown = /^bearer +(.*)$/i.exec(authorization)?.[1]
    if (shown === undefined) return undefined
    return timingSafeEqual(toDigest(shown), digest) ? 'right' : 'wrong'
  }
}

/** Digests have equal lengths, which `timingSafeEqual` requires. */
function toDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Maximum number of wrong keys or links per IP address and period. Beyond it, the address must wait for the end of the period. */
const MAXIMUM_WRONG = 10
/** Length of a period, which begins with the first wrong key or link, in milliseconds. */
const PERIOD_MS = 60_000

/** Maximum number of addresses with a count. Beyond it, the address whose last wrong key or link is oldest loses its count. */
const MAXIMUM_ADDRESSES = 1000

/** Captured at import, so that a test's fake timers do not stop it. */
const now = performance.now.bind(performance)

/**
 * A limit on wrong keys and links per IP address, so that nobody can try many. A right key is counted too if it has expired, or
 * does not permit the request.
 */
export class WrongTries {
  readonly #counts = new Cache<string, { endsMs: number; wrong: number }>({
    entries: MAXIMUM_ADDRESSES,
  })

  /** Counts a wrong key or link. Returns the number of seconds for which the address must wait; 0 within the limit. */
  count(address: string): number {
    const nowMs = now()
    const known = this.#counts.get(address)
    const period = known && known.endsMs > nowMs ? known : { endsMs: nowMs + PERIOD_MS, wrong: 0 }
    period.wrong += 1
    this.#counts.set(address, period)
    return period.wrong > MAXIMUM_WRONG ? Math.ceil((period.endsMs - nowMs) / 1000) : 0
  }

  forgive(address: string): void {
    const period = this.#counts.get(address)
    if (period) period.wrong -= 1
  }
}
