import { shorten, withoutControls } from '../contract/text.ts'
import { yieldToEventLoop } from '../contract/timers.ts'
import type { Seed } from '../fixtures/seed.ts'
import { SessionError } from '../session/session-error.ts'
import { hasMagicTokens } from '../session/session-recorder.ts'
import { createSessionRedactor } from '../session/session-writer.ts'
import type { SharedSession } from '../session/session.ts'
import type { World } from '../world/world.ts'
import { ShareError } from './share-error.ts'

/** The machine's clock, as seen by the worlds of a tab. */
export interface TabClock {
  /** Stops the clock at a time, in epoch milliseconds. */
  stopAt: (ms: number) => void
  /** Lets the clock run from its current time. */
  run: () => void
}

/** Number of steps to replay before yielding to other work of the tab. */
const STEPS_AT_ONCE = 10

type Step = SharedSession['steps'][number]

interface ReplayOptions<Opened extends { world: World }> {
  /** Creates the sandbox of the site, as at the start of a page. */
  create: () => Promise<Opened>
  clock: TabClock
}

/**
 * Maximum total time for the steps, in milliseconds. Needed because requests to a large site, or repeated loading of fixtures, can
 * add up.
 */
const MAXIMUM_WORK_MS = 30_000

/**
 * Creates the sandbox of the site at the time when a shared session began. Replays its steps there, at the recorded times, and
 * without waiting for delays. The clocks then continue from the time of sharing.
 *
 * @throws ShareError if a step cannot be replayed on this site, or after 30 s of work. The caller must then discard the sandbox,
 * and set the clock.
 */
export async function replayShared<Opened extends { world: World }>(
  shared: SharedSession,
  { create, clock }: ReplayOptions<Opened>,
): Promise<Opened> {
  clock.stopAt(shared.beginning.at_ms)
  try {
    const opened = await create()
    requireFresh(opened.world, shared)
    await replayIn(opened.world, shared, clock)
    clock.stopAt(shared.site.shared_ms)
    return opened
  } finally {
    clock.run()
  }
}

function requireFresh({ createdMs, journal }: World, { beginning }: SharedSession): void {
  if (createdMs === beginning.at_ms && journal.sequence === 0) return
  throw new RangeError(
    'What is shared is replayed in a world that was created by the stopped clock.',
  )
}

async function replayIn(world: World, shared: SharedSession, clock: TabClock): Promise<void> {
  // Imported on demand, because most tabs open no link.
  const { replaySteps } = await import('../session/replay-session.ts')
  const steps = toReplayed(world, shared)
  try {
    const { difference } = await replaySteps(world, steps, ({ at_ms }) => clock.stopAt(at_ms))
    if (difference) throw cannotReplay(difference.sequence, difference.actual)
  } catch (error) {
    if (!(error instanceof SessionError)) throw error
    throw new ShareError(
      'The records that this loads do not fit together: ask whoever sent it for another one.',
      { cause: error },
    )
  }
}

/** Yields the steps in a form that this world can replay: with the bearer values of this world, and with the seed of a scenario. */
async function* toReplayed(world: World, shared: SharedSession): AsyncGenerator<Step> {
  const { seed: loaded, at_ms } = shared.beginning
  const [first, ...others] = shared.steps
  const begin = first && (await withScenario(first, world))
  const steps = begin ? [begin, ...others] : others
  const seeds = steps.map((step) => ('command' in step ? step.seed : undefined))
  const values = new ReplayedBearerValues(world, [loaded ?? world.options.seed, ...seeds])
  if (loaded) yield { sequence: 0, at_ms, command: LOAD_FIXTURES, seed: loaded }
  let [beganMs, workedMs] = [performance.now(), 0]
  for (const [index, step] of steps.entries()) {
    if (index % STEPS_AT_ONCE === 0) {
      workedMs += performance.now() - beganMs
      if (workedMs > MAXIMUM_WORK_MS) throw new ShareError(TOO_MUCH_WORK)
      await yieldToEventLoop()
      beganMs = performance.now()
    }
    // A restart after loaded fixtures keeps its placeholders, because the restarted world has no bearer values of the site.
    yield loaded && step === begin ? step : values.inStep(step)
  }
}

/** `fixtures.load` as a session records it. Its fixtures are empty, because the step has the seed. */
const LOAD_FIXTURES = { type: 'fixtures.load', fixtures: {} }

const TOO_MUCH_WORK = `Replaying this takes more than ${MAXIMUM_WORK_MS / 1000} s: ask for a smaller session.`

/**
 * Returns the first step, with the seed of its scenario if it loads one.
 *
 * @throws ShareError if the scenario does not exist on this site, or is larger than a partner may load.
 */
async function withScenario(step: Step, { options: { scenarios } }: World): Promise<Step> {
  if ('request' in step || step.command.type !== 'scenario.load') return step
  const { findTooLarge } = await import('./require-allowed.ts')
  const { sequence, command } = step
  const listed = (await scenarios.list()).find(({ name }) => name === command['scenario'])
  if (!listed) throw cannotReplay(sequence, 'This site has no such scenario.')
  const seed = await scenarios.load(listed.name)
  const beyond = findTooLarge(seed)
  if (beyond !== undefined) throw cannotReplay(sequence, `The scenario ${beyond}.`)
  return { ...step, seed }
}

/** Maximum length of a displayed reason, in characters. A reason may quote any part of the link. */
const SHOWN_LENGTH = 300

function cannotReplay(sequence: number, reason: string | null): ShareError {
  const shown = withoutControls(shorten(reason ?? '', SHOWN_LENGTH))
  return new ShareError(`Step ${sequence} cannot be replayed on this site: ${shown}`)
}

/** Placeholder in a session for a bearer value that belongs to no token. */
const UNKNOWN = 'unknown'

/**
 * Bearer values of a world in which a session is replayed, by their placeholders in the session. A value that a command of the
 * session sets is its own placeholder.
 */
class ReplayedBearerValues {
  readonly #world: World
  readonly #hasMagicTokens: boolean
  #values: ReadonlyMap<string, string> = new Map()
  #asOf = ''

  /** @param seeds the seed at the beginning of the session, and all seeds that it loads */
  constructor(world: World, seeds: readonly (Seed | undefined)[]) {
    this.#world = world
    this.#hasMagicTokens = seeds.some(hasMagicTokens)
  }

  inStep(step: Step): Step {
    const values = this.#read()
    if ('command' in step) {
      const { command, seed } = step
      const own = inTokens({ command, ...(seed && { seed }) }, values)
      return { ...step, ...own }
    }
    const { authorization } = step.request
    if (authorization === undefined) return step
    const words = authorization.split(' ').map((word) => values.get(word) ?? word)
    return { ...step, request: { ...step.request, authorization: words.join(' ') } }
  }

  #read(): ReadonlyMap<string, string> {
    const { journal, secrets } = this.#world
    const { owners } = secrets
    // The number of values shows any change, because values are only added until the world restarts.
    const asOf = `${journal.starts} ${owners.size}`
    if (asOf !== this.#asOf) {
      this.#asOf = asOf
      const redactor = createSessionRedactor({ owners, hasMagicTokens: this.#hasMagicTokens })
      const named = [...owners.keys()].map(
        (token) => [redactor.inData({ token }).data.token, token] as const,
      )
      // A token of the world may have this placeholder as its value.
      const unknown = owners.has(UNKNOWN) ? `${UNKNOWN}-value` : UNKNOWN
      this.#values = new Map([[UNKNOWN, unknown], ...named])
    }
    return this.#values
  }
}

/** Replaces the placeholder in each field `token` of plain data with its bearer value. */
function inTokens<Data>(data: Data, values: ReadonlyMap<string, string>): Data {
  const replace = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return key === 'token' ? (values.get(value) ?? value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => replace(item))
    const entries = Object.entries(value).map(([name, item]) => [name, replace(item, name)])
    return Object.fromEntries(entries)
  }
  return replace(data) as Data
}
