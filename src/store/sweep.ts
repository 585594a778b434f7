import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { Redis } from './redis.ts'
import { WORLDS } from './store-keys.ts'

const WORLDS_TOGETHER = 200

const MOST_NAMED = 5

/** A world, and how much of a store it takes. */
export interface LargeWorld {
  id: string
  bytes: number
}

/**
 * Removes what is left of worlds that have expired, and texts that no entry needs, unless a server of the store did so within
 * the last minute. @throws StoreError
 */
export async function sweep(redis: Redis): Promise<void> {
  const [status, worlds] = await redis.call('begin_sweep', [], [])
  if (status !== 'ok') return
  for (const some of inParts(worlds as string[])) await redis.call('sweep', [], some)
}

/** The worlds that take most of a store, the largest first. @throws StoreError */
export async function findLargest(redis: Redis): Promise<LargeWorld[]> {
  const isolated = (await redis.send(['ZRANGE', WORLDS, '0', '-1'])) as string[]
  const sizes: LargeWorld[] = []
  for (const some of inParts([DEFAULT_WORLD, ...isolated])) {
    const bytes = await redis.call('sizes', [], some)
    sizes.push(...some.map((id, at) => ({ id, bytes: Number(bytes[at]) })))
  }
  return sizes.toSorted((one, other) => other.bytes - one.bytes).slice(0, MOST_NAMED)
}

/** Splits ids into parts that are small enough for other calls not to wait long. */
function* inParts(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += WORLDS_TOGETHER) yield ids.slice(at, at + WORLDS_TOGETHER)
}
