import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { writePieces } from '../contract/json-pieces.ts'
import { runWithPauses } from '../contract/steps.ts'
import type { Pause } from '../contract/steps.ts'
import type { Seed } from '../fixtures/seed.ts'
import { recordReview, storeReview } from '../review/record-review.ts'
import type { StoredReview } from '../review/record-review.ts'
import { resumeSession, storeSession } from '../session/stored-session.ts'
import type { StoredSession } from '../session/stored-session.ts'
import type { StoredWorld } from '../world/stored-world.ts'
import { World } from '../world/world.ts'
import type { WorldOptions } from '../world/world-state.ts'
import type { StoredInputs } from './stored-inputs.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** A world with its session and its review, as a snapshot in the store has it. */
interface StoredReplica {
  /** The time of the last entry, at which it was stored. */
  at_ms: number
  /** The digests of all seeds that it names. */
  seeds: string[]
  world: StoredWorld
  session: StoredSession | null
  review: StoredReview | null
}

/** Writes a world whose clock shows the time of its last entry; none may be applied meanwhile. */
export async function writeReplica(
  world: World,
  { atMs, inputs, pause }: { atMs: number; inputs: StoredInputs; pause?: Pause | undefined },
): Promise<string> {
  const seeds = new Set<string>()
  const keys = {
    keyOf: (seed: Seed) => {
      const key = inputs.keyOf(seed)
      seeds.add(key)
      return key
    },
    seedOf: neverRead,
  }
  const stored = await world.store(keys)
  const session = storeSession(world, keys)
  let text = ''
  const review = storeReview(world)
  const replica = { at_ms: atMs, seeds: [...seeds], world: stored, session, review }
  await runWithPauses(
    writePieces(replica, (piece) => (text += piece)),
    pause,
  )
  return text
}

/** In the background: the work of another thread. */
export function packReplica(text: string): Promise<Buffer> {
  return compress(text, { level: constants.Z_BEST_SPEED })
}

/** Continues a stored world. `setNow` sets its clock. @throws StoreError */
export async function readReplica(
  packed: Buffer,
  options: WorldOptions,
  { inputs, setNow }: { inputs: StoredInputs; setNow: (ms: number) => void },
): Promise<World> {
  const text = (await expand(packed)).toString()
  const stored = JSON.parse(text) as StoredReplica
  setNow(stored.at_ms)
  const seeds = new Map<string, Seed>()
  for (const key of stored.seeds) seeds.set(key, await inputs.seed(key))
  const keys = {
    keyOf: inputs.keyOf,
    seedOf: (key: string): Seed => {
      const seed = seeds.get(key)
      if (seed) return seed
      throw new RangeError(`A stored world lacks its seed ${key}.`)
    },
  }
  const world = await World.resume(options, stored.world, keys)
  resumeSession(world, stored.session, keys)
  recordReview(world, stored.review)
  return world
}

function neverRead(key: string): never {
  throw new RangeError(`The seed ${key} is not read while a world is written.`)
}
