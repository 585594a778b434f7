import { createHash, timingSafeEqual } from 'node:crypto'
import type { Requester } from '../control-api/guard.ts'

/** Reads from an `Authorization` header whether it shows the key, in a time that tells nothing of it. */
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

/** Of the same length whatever the text, so that they can be compared at once. */
function toDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
