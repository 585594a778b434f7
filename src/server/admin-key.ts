import { createHash, timingSafeEqual } from 'node:crypto'
import type { Requester } from '../control-api/guard.ts'

/** Checks whether an `Authorization` header has the key, in constant time. */
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
