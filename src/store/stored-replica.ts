import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { jsonPieces } from '../contract/json-pieces.ts'
import type { Seed } from '../fixtures/seed.ts'
import { resumeReview, storeReview } from '../review/record-review.ts'
import type { StoredReview } from '../review/record-review.ts'
import { resumeSession, storeSession } from '../session/stored-session.ts'
import type { StoredSession } from '../session/stored-session.ts'
import type { StoredWorld } from '../world/stored-world.ts'
import type { WorldOptions } from '../world/world-state.ts'
import { World } from '../world/world.ts'
import { StoreError } from './store-error.ts'
import type { StoredInputs } from './stored-inputs.ts'
import type { AppliedPosition, Took, WorldLog } from './world-log.ts'

/** Maximum number of entries that are applied before the first snapshot, and between two later ones. */
const LEAST_ENTRIES = 800
const MOST_ENTRIES = 3200

/** Maximum size in Redis of a log, or of the texts of a session that has ended, before the next snapshot, in bytes. */
const MOST_BYTES = 1_000_000

/** A load that has applied this many entries stores a snapshot, so that the next load need not apply them again. */
const LOADED_ENTRIES = 200

interface SnapshotsOptions {
  log: WorldLog
  inputs: StoredInputs
  /** Tells the operator the reason if a snapshot could not be stored although the store was reached. */
  onError: (error: unknown) => void
}

/** The snapshots that a replica stores of its world: each in the background, one after the other. */
export class Snapshots {
  readonly #options: SnapshotsOptions
  #position = 0
  #underWay = 0
  #storing: Promise<void> = Promise.resolve()

  constructor(options: SnapshotsOptions) {
    this.#options = options
  }

  /**
   * True if the replica that has appended the entry at a position stores a snapshot there: at `LEAST_ENTRIES`, at each doubling
   * of that up to `MOST_ENTRIES`, and then at each multiple of `MOST_ENTRIES`. The intervals grow because a snapshot has all
   * requests that the journal keeps.
   */
  isDue(position: number): boolean {
    let entries = LEAST_ENTRIES
    while (entries < MOST_ENTRIES && position >= entries * 2) entries *= 2
    return position % entries === 0
  }

  /**
   * True if a snapshot is due for the size of the log and the texts in Redis, after an entry that may have started a session.
   */
  isDueFor(
    { logBytes, textsBytes }: Pick<Took, 'logBytes' | 'textsBytes'>,
    { isNewSession }: { isNewSession: boolean },
  ): boolean {
    if (isNewSession && textsBytes >= MOST_BYTES) return true
    return logBytes >= MOST_BYTES && !this.isStoring
  }

  /** True if a load that has applied this many entries stores a snapshot. */
  isDueAfterLoad(entries: number): boolean {
    return entries >= LOADED_ENTRIES
  }

  /** Records the position of the last known snapshot. */
  loaded(position: number): void {
    this.#position = position
  }

  /** True while a snapshot is written, and not yet stored. */
  get isStoring(): boolean {
    return this.#underWay > 0
  }

  /** True if there are entries after the last known snapshot. */
  isBehind(position: number): boolean {
    return position > this.#position
  }

  /**
   * Writes a world whose clock shows the time of its last entry; no entry may be applied until it is written. Returns its
   * bytes.
   */
  async write(world: World, at: AppliedPosition): Promise<number> {
    const { log, inputs, onError } = this.#options
    const { bytes, seeds } = await writeReplica(world, inputs)
    this.#position = at.position
    this.#underWay += 1
    this.#storing = this.#storing
      .then(async () => log.commit(at, await packReplica(bytes), seeds))
      .catch((error: unknown) => {
        // The next snapshot replaces it.
        if (!(error instanceof StoreError)) onError(error)
      })
      .finally(() => (this.#underWay -= 1))
    return bytes.length
  }

  /** Resolves when all written snapshots are stored. */
  settled(): Promise<void> {
    return this.#storing
  }
}

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** A world with its session and its review, as a snapshot in the store has it. */
interface StoredReplica {
  world: StoredWorld
  session: StoredSession | null
  review: StoredReview | null
}

/**
 * Writes a world whose clock shows the time of its last entry, with the keys of its seeds; no entry may be applied meanwhile.
 *
 * @public The benchmark of a full world calls it.
 */
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
function packReplica(bytes: Buffer): Promise<Buffer> {
  return compress(bytes, { level: constants.Z_BEST_SPEED })
}

/** Returns the uncompressed size of a packed world in bytes, read from the gzip trailer; 0 without a snapshot. */
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
