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
import type { AppliedPosition, AppendOutcome, WorldLog } from './world-log.ts'

/** Maximum number of entries before the first snapshot. */
const FIRST_INTERVAL = 800
/** Maximum number of entries between two later snapshots. */
const MAXIMUM_INTERVAL = 3200

/**
 * Size of the log in Redis at which a snapshot is due, in bytes. At the start of a session, a snapshot is also due if
 * the loaded texts have this size.
 */
const DUE_BYTES = 1_000_000

/**
 * Minimum number of applied entries after which a load stores a snapshot, so that the next load need not apply them
 * again.
 */
const LOADED_ENTRIES = 200

interface SnapshotsOptions {
  log: WorldLog
  inputs: StoredInputs
  /** Called with any error but a StoreError that occurs while a snapshot is being stored. */
  onError: (error: unknown) => void
}

/** The snapshots of a replica's world, stored in the background one after the other. */
export class Snapshots {
  readonly #options: SnapshotsOptions
  #position = 0
  #underWay = 0
  #storing: Promise<void> = Promise.resolve()

  constructor(options: SnapshotsOptions) {
    this.#options = options
  }

  /**
   * True if the replica that appended the entry at a position must store a snapshot: at `FIRST_INTERVAL`, at each
   * doubling up to `MAXIMUM_INTERVAL`, then at each multiple of `MAXIMUM_INTERVAL`. The intervals grow because a snapshot
   * contains all requests in the journal.
   */
  isDue(position: number): boolean {
    let entries = FIRST_INTERVAL
    while (entries < MAXIMUM_INTERVAL && position >= entries * 2) entries *= 2
    return position % entries === 0
  }

  /**
   * True if the log in Redis is large enough for a snapshot and none is being stored, or if the texts are large enough and
   * a session has just started. `isNewSession` is true if the last entry started a session.
   */
  isDueFor(
    { logBytes, textsBytes }: Pick<AppendOutcome, 'logBytes' | 'textsBytes'>,
    { isNewSession }: { isNewSession: boolean },
  ): boolean {
    if (isNewSession && textsBytes >= DUE_BYTES) return true
    return logBytes >= DUE_BYTES && !this.isStoring
  }

  /** True if a load that has applied this many entries should store a snapshot. */
  isDueAfterLoad(entries: number): boolean {
    return entries >= LOADED_ENTRIES
  }

  /** Records the position of the last known snapshot. */
  loaded(position: number): void {
    this.#position = position
  }

  /** True while a written snapshot has not been stored yet. */
  get isStoring(): boolean {
    return this.#underWay > 0
  }

  /** True if `position` is after the last known snapshot. */
  isBehind(position: number): boolean {
    return position > this.#position
  }

  /**
   * Writes a snapshot of a world, and stores the snapshot in the background. The clock of the world must show the time
   * of the last entry, and no further entry may be applied before the snapshot is written. Returns the uncompressed
   * size of the snapshot, in bytes.
   */
  async write(world: World, at: AppliedPosition): Promise<number> {
    const { log, inputs, onError } = this.#options
    const { bytes, seeds } = await writeReplica(world, inputs)
    this.#position = at.position
    this.#underWay += 1
    this.#storing = this.#storing
      .then(async () => log.commit(at, await packReplica(bytes), seeds))
      .catch((error: unknown) => {
        // A StoreError needs no report, because the next snapshot makes up for this one.
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

/** A world with its session and its review, as stored in a snapshot. */
interface StoredReplica {
  world: StoredWorld
  session: StoredSession | null
  review: StoredReview | null
}

/**
 * Serializes a world, and returns the keys of its seeds too. The clock of the world must show the time of the last
 * entry, and no further entry may be applied meanwhile.
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

/** Restores a world from a snapshot. `setNow` sets the clock of the world, in epoch milliseconds. @throws StoreError */
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
