import { charactersOf } from '../contract/limits.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { invalidCommand } from '../world/command-error.ts'
import type { World } from '../world/world.ts'
import type { CommandEvent, WorldSubscriber } from '../world/world-subscriber.ts'
import { toRecordedCommand } from './session-steps.ts'
import type { RecordedCommand } from './session-steps.ts'
import type { RecordedSession, SessionBearerValues, SessionWriter } from './session-writer.ts'
import type { Session, SessionReview } from './session.ts'

/** Maximum number of fixture records that all commands of a session may load, except the command that started it. */
const MAXIMUM_LOADED_RECORDS = 100_000

/** Maximum number of characters of commands and their fixtures in a session, per step that `journalSize` allows. */
const CHARACTERS_PER_STEP = 2000
/** Number of steps for which characters are allowed even if `journalSize` is lower. */
const MINIMUM_STEPS = 1000

const RECORDERS = new WeakMap<World, SessionRecorder>()

interface WriteOptions {
  toReview: (world: World) => SessionReview
}

/**
 * Starts to record the session of a world. Must be called before the first request and command or, for a resumed world, before the
 * next ones. `soFar` is the session of a resumed world; null if it is no longer kept.
 */
export function recordSession(world: World, soFar?: RecordedSession | null): void {
  const recorder = new SessionRecorder(world, soFar)
  RECORDERS.set(world, recorder)
  world.subscribe(recorder)
}

/**
 * Returns the session of a world for a replay: every request and command since the world was created, reset, or replaced by a
 * scenario or snapshot.
 *
 * @throws CommandError if the session is no longer kept, because it exceeded a limit of steps, loaded records or characters.
 */
export async function sessionOf(world: World, options: WriteOptions): Promise<Session> {
  return recorderOf(world).write(options)
}

/** Returns the session of a world up to now, with bearer values; null if it is no longer kept. */
export function recordedSessionOf(world: World): RecordedSession | null {
  return recorderOf(world).recorded
}

function recorderOf(world: World): SessionRecorder {
  const recorder = RECORDERS.get(world)
  if (recorder) return recorder
  throw new RangeError(`${world.options.id} has no session.`)
}

/**
 * Keeps the requests and commands since a world was created or last restarted, for a replay. Discards a session that exceeds a
 * limit.
 *
 * @public The benchmark of the journal replaces its methods.
 */
export class SessionRecorder implements WorldSubscriber {
  readonly #world: World
  #session: RecordedSession | null
  /** Number of characters of the commands and their fixtures, except those of the command that started the session. */
  #characters = 0

  constructor(
    world: World,
    session: RecordedSession | null = startSession(world, world.createdMs),
  ) {
    this.#world = world
    this.#session = session
    for (const step of session?.steps ?? []) this.#characters += charactersOfStep(step)
  }

  get keepsRequests(): boolean {
    return this.#session !== null
  }

  get recorded(): RecordedSession | null {
    return this.#session
  }

  onRequest(request: RecordedRequest): void {
    if (this.#session) this.#add(request, this.#session)
  }

  onCommand(event: CommandEvent): void {
    const { definition, atMs } = event
    const { startsSession = false } = definition
    if (startsSession) {
      this.#discard()
      this.#session = startSession(this.#world, atMs)
    }
    const session = this.#session
    if (!session) return
    const step = toRecordedCommand(event, session.options)
    if (step.seed && !startsSession) session.loadedRecords += countRecords(step.seed)
    this.#add(step, session)
  }

  write({ toReview }: WriteOptions): Promise<Session> {
    return this.#world.afterCommands(async () => {
      const session = this.#session
      if (!session) {
        const { journalSize } = this.#world.options
        const message = `The session has more than ${journalSize} steps, has loaded more than ${MAXIMUM_LOADED_RECORDS} records of fixtures, or has more than ${maximumCharacters(journalSize)} characters of commands and fixtures, and is no longer kept. Reset the world, and repeat the requests that the session should have.`
        throw invalidCommand({ path: [], message })
      }
      const seeds = session.steps.map((step) => ('command' in step ? step.seed : undefined))
      const hasMagic = [session.options.seed, ...seeds].some(hasMagicTokens)
      const writer = await createSessionWriter(this.#world, { hasMagicTokens: hasMagic })
      return writer.write(session, toReview(this.#world))
    })
  }

  #add(step: RecordedRequest | RecordedCommand, { steps, loadedRecords }: RecordedSession): void {
    steps.push(step)
    this.#characters += charactersOfStep(step)
    const { journalSize } = this.#world.options
    const isTooLarge =
      steps.length > journalSize ||
      loadedRecords > MAXIMUM_LOADED_RECORDS ||
      this.#characters > maximumCharacters(journalSize)
    if (isTooLarge) this.#discard()
  }

  #discard(): void {
    this.#session = null
    this.#characters = 0
  }
}

function maximumCharacters(journalSize: number): number {
  return CHARACTERS_PER_STEP * Math.max(MINIMUM_STEPS, journalSize)
}

function startSession({ options }: World, startedMs: number): RecordedSession {
  return { options, startedMs, loadedRecords: 0, steps: [] }
}

/** True if a seed generates data and has no tokens. Its world then has the documented tokens. */
export function hasMagicTokens(seed: Seed | undefined): boolean {
  return seed?.generate !== undefined && seed.records.tokens.length === 0
}

/** Creates a writer for the session of a world. The writer replaces all bearer values that the world has had up to now. */
export async function createSessionWriter(
  { secrets: { owners, others } }: World,
  options: Pick<SessionBearerValues, 'hasMagicTokens'>,
): Promise<SessionWriter> {
  const { SessionWriter: Writer } = await import('./session-writer.ts')
  return new Writer({ owners, others, ...options })
}

/**
 * Returns the number of characters of a command and its fixtures; 0 for a request, and for a command that starts a session, because
 * its data replaces all earlier data.
 */
function charactersOfStep(step: RecordedRequest | RecordedCommand): number {
  if (!('command' in step) || step.definition.startsSession === true) return 0
  const loaded = Object.values(step.seed?.records ?? {}).flat()
  return loaded.reduce((sum, record) => sum + charactersOf(record), charactersOf(step.command))
}

function countRecords({ records }: Seed): number {
  return Object.values(records).reduce((sum, { length }) => sum + length, 0)
}
