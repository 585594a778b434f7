import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { jsonPieces } from '../contract/json-pieces.ts'
import type { Seed } from '../fixtures/seed.ts'
import { resumeReview, storeReview } from '../review/record-review.ts'
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
  world: StoredWorld
  session: StoredSession | null
  review: StoredReview | null
}

/** Writes a world whose clock shows the time of its last entry, with the keys of its seeds; no entry may be applied meanwhile. */
export async function writeReplica(
  world: World,
  inputs: StoredInputs,
): Promise<{ bytes: Buffer; seeds: Set<string> }> {
  const keys = { keyOf: inputs.keyOf, seedOf: neverRead }
  const replica: StoredReplica = {
    world: await world.store(keys),
    session: storeSession(world, keys),
    review: storeReview(world),
  }
  return { bytes: Buffer.from([...jsonPieces(replica)].join('')), seeds: seedKeysOf(replica) }
}

/** Compresses a written world, on another thread. */
export function packReplica(bytes: Buffer): Promise<Buffer> {
  return compress(bytes, { level: constants.Z_BEST_SPEED })
}

/** The bytes of the text of a packed world: gzip writes them at the end. 0 where there is none. */
export function bytesOfText({ snapshot }: { snapshot: Buffer | null }): number {
  return snapshot?.readUInt32LE(snapshot.length - 4) ?? 0
}

/** Continues a stored world. `setNow` sets its clock. @throws StoreError */
export async function readReplica(
  packed: Buffer,
  options: WorldOptions,
  { inputs, setNow }: { inputs: StoredInputs; setNow: (ms: number) => void },
): Promise<World> {
  const text = (await expand(packed)).toString()
  const stored = JSON.parse(text) as StoredReplica
  setNow(Date.parse(stored.world.snapshot.taken_at))
  const seeds = new Map<string, Seed>()
  for (const key of seedKeysOf(stored)) seeds.set(key, await inputs.seed(key))
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
  resumeReview(world, stored.review)
  return world
}

function seedKeysOf({ world, session }: StoredReplica): Set<string> {
  const steps = session?.steps ?? []
  const loaded = steps.flatMap((step) => (typeof step === 'number' ? [] : (step.seed ?? [])))
  return new Set([world.seed, world.loaded_seed, ...(session ? [session.seed] : []), ...loaded])
}

function neverRead(key: string): never {
  throw new RangeError(`The seed ${key} is not read while a world is written.`)
}
