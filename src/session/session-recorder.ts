import { MemoryUse } from '../contract/memory-use.ts'
import { bytesOf } from '../contract/plain-size.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { bytesToLoad } from '../records/records.ts'
import { invalidCommand } from '../world/command-error.ts'
import type { World } from '../world/world.ts'
import type { CommandEvent, WorldSubscriber } from '../world/world-subscriber.ts'
import type { WorldOptions } from '../world/world-state.ts'
import type { RecordedCommand } from './session-writer.ts'
import type { Session, SessionReview } from './session.ts'

/** Records of fixtures that commands have loaded, over a whole session. */
const MAXIMUM_LOADED_RECORDS = 100_000

/** What a command takes besides what was sent. */
const STEP_BYTES = 500

const RECORDERS = new WeakMap<World, SessionRecorder>()

interface WriteOptions {
  /** What a session says of the review of its world. */
  toReview: (world: World) => SessionReview
  isLazy?: boolean
}

/** What is kept of a whole session. */
export interface RecordedSession {
  /** How the world was when the session started. */
  options: WorldOptions
  /** By the machine's clock, in epoch milliseconds. */
  startedMs: number
  /** How many records of fixtures its commands have loaded. */
  loadedRecords: number
  steps: readonly (RecordedRequest | RecordedCommand)[]
}

/**
 * Records the session of a world from now on. To be called ahead of its first request and command, or for a resumed
 * world ahead of the next ones, with what was kept `before`: null where that was no longer whole.
 */
export function recordSession(world: World, before?: RecordedSession | null): void {
  const recorder = new SessionRecorder(world)
  if (before !== undefined) recorder.resume(before)
  RECORDERS.set(world, recorder)
  recorder.memory.moveTo(world.memory)
  world.subscribe(recorder)
}

/**
 * Every request and command since a world was created, reset, or replaced by a scenario or snapshot, to be replayed; with
 * lazy lists, each step is written when it is read.
 *
 * @throws CommandError where there are too many to be kept.
 */
export async function sessionOf(world: World, options: WriteOptions): Promise<Session> {
  return recorderOf(world).write(options)
}

/** What is kept of the session of a world, to be stored; null where it is no longer whole. */
export function recordedSessionOf(world: World): RecordedSession | null {
  return recorderOf(world).recorded
}

function recorderOf(world: World): SessionRecorder {
  const recorder = RECORDERS.get(world)
  if (recorder) return recorder
  throw new RangeError(`The session of the world ${world.options.id} is not recorded.`)
}

/**
 * Keeps the requests and commands of a world, so that they can be replayed: from when it was created, or started
 * again by a command. Nothing is kept of a session that grows beyond its bound.
 *
 * @public The benchmark of the journal replaces its methods.
 */
export class SessionRecorder implements WorldSubscriber {
  /** What it takes besides the requests that are in the journal too. */
  readonly memory = new MemoryUse()
  readonly #world: World
  readonly #maximumSteps: number
  /** How the world was when the session started. */
  #options: WorldOptions
  #startedMs: number
  #steps: (RecordedRequest | RecordedCommand)[] = []
  #loadedRecords = 0
  #isWhole = true
  /** The bytes of the requests that are in the journal too. */
  #sharedBytes = 0

  constructor(world: World) {
    this.#world = world
    this.#maximumSteps = world.options.journalSize
    this.#options = world.options
    this.#startedMs = world.createdMs
  }

  get keepsRequests(): boolean {
    return this.#isWhole
  }

  get recorded(): RecordedSession | null {
    if (!this.#isWhole) return null
    return {
      options: this.#options,
      startedMs: this.#startedMs,
      loadedRecords: this.#loadedRecords,
      steps: this.#steps,
    }
  }

  /** Continues what another recorder has kept. */
  resume(before: RecordedSession | null): void {
    this.#isWhole = before !== null
    if (!before) return
    this.#options = before.options
    this.#startedMs = before.startedMs
    this.#loadedRecords = before.loadedRecords
    this.#steps = [...before.steps]
    const inJournal = new Set(this.#world.journal.recorded)
    for (const step of before.steps) {
      if ('command' in step) this.memory.add(bytesOfCommand(step))
      else if (inJournal.has(step)) this.#sharedBytes += step.bytes
      else this.memory.add(step.bytes)
    }
  }

  onRequest(request: RecordedRequest): void {
    if (!this.#isWhole) return
    this.#sharedBytes += request.bytes
    this.#add(request)
  }

  onCommand(event: CommandEvent): void {
    const { definition, loaded, sequence, atMs } = event
    if (definition.startsSession === true) this.#restart(event)
    if (!this.#isWhole) return
    const { toRecorded = (raw) => raw } = definition
    // Without the texts of fixtures, of which the session has the seed.
    const command = { ...toRecorded(event.command, loaded as never, this.#options) }
    const seed = loaded && 'seed' in loaded ? loaded.seed : undefined
    const step = { definition, command, seed, sequence, atMs }
    this.memory.add(bytesOfCommand(step))
    if (seed && definition.startsSession !== true) this.#loadedRecords += countRecords(seed)
    if (definition.clearsJournal === true) this.#takeOver()
    this.#add(step)
  }

  onFree(): void {
    this.#lose()
  }

  /**
   * The session so far, with placeholders for bearer values.
   *
   * @throws CommandError where it has grown beyond its bound.
   */
  write({ toReview, isLazy = false }: WriteOptions): Promise<Session> {
    return this.#world.afterCommands(async () => {
      const { SessionWriter } = await import('./session-writer.ts')
      const { magicValues } = await import('../records/magic-tokens.ts')
      if (!this.#isWhole) {
        const message = `The session has more than ${this.#maximumSteps} steps, or has loaded more than ${MAXIMUM_LOADED_RECORDS} records of fixtures, or its memory was needed, and is no longer kept. Reset the world, and repeat what the session is to show.`
        throw invalidCommand({ path: [], message })
      }
      const { owners, others } = this.#world.secrets
      const documented = new Set(this.#hasMagicTokens() ? magicValues() : [])
      const values = { owners, others, documented }
      const writer = new SessionWriter(this.#options, { values, isLazy })
      const review = toReview(this.#world)
      return writer.write(this.#startedMs, { steps: [...this.#steps], review })
    })
  }

  #restart({ atMs }: CommandEvent): void {
    this.#options = this.#world.options
    this.#startedMs = atMs
    this.#lose()
    this.#loadedRecords = 0
    this.#isWhole = true
  }

  #lose(): void {
    this.#isWhole = false
    this.#steps = []
    this.#sharedBytes = 0
    this.memory.add(-this.memory.bytes)
  }

  /** Counts the requests that are no longer in the journal. */
  #takeOver(): void {
    this.memory.add(this.#sharedBytes)
    this.#sharedBytes = 0
  }

  /** Whether a world was generated, at the start or by a step, that was given no tokens. */
  #hasMagicTokens(): boolean {
    const seeds = this.#steps.map((step) => ('command' in step ? step.seed : undefined))
    return [this.#options.seed, ...seeds].some(
      (seed) => seed?.generate !== undefined && seed.records.tokens.length === 0,
    )
  }

  #add(step: RecordedRequest | RecordedCommand): void {
    this.#steps.push(step)
    const isWhole =
      this.#steps.length <= this.#maximumSteps && this.#loadedRecords <= MAXIMUM_LOADED_RECORDS
    if (!isWhole) this.#lose()
  }
}

/** What a command loads that starts the session is not counted: it replaces what was loaded before. */
function bytesOfCommand({ command, definition, seed }: RecordedCommand): number {
  const loaded = definition.startsSession === true ? undefined : seed
  return STEP_BYTES + bytesOf(command) + (loaded ? bytesToLoad(loaded.records) : 0)
}

function countRecords({ records }: Seed): number {
  return Object.values(records).reduce((sum, { length }) => sum + length, 0)
}
