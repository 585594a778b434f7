import { journalEntries } from '../support/journal-entries.ts'
import { GivenValues } from '../../src/journal/bearer-finder.ts'
import { readSeed, SCENARIO_LIBRARY } from '../../src/sandbox/worlds-options.ts'
import { CommandError } from '../../src/index.ts'
import type { ApiRequest } from '../../src/engine/messages.ts'
import type { SandboxOptions } from '../../src/index.ts'
import type { Seed } from '../../src/fixtures/seed.ts'
import {
  recordReview,
  resumeReview,
  reviewOf,
  storeReview,
  toSessionReview,
} from '../../src/review/record-review.ts'
import { sessionOf, recordSession } from '../../src/session/session-recorder.ts'
import { resumeSession, storeSession } from '../../src/session/stored-session.ts'
import type { Change } from '../../src/world/change.ts'
import { completeSettings, WORLD_OPTION_NAMES } from '../../src/world/options/table.ts'
import { parseSettings } from '../../src/world/options/parse-settings.ts'
import { applyEnd } from '../../src/store/log-entry.ts'
import type { LoggedEnd } from '../../src/store/log-entry.ts'
import type { WorldOptions } from '../../src/world/world-state.ts'
import { World } from '../../src/world/world.ts'
import { toApiRequest } from './random-steps.ts'
import type { RandomRequest } from './random-steps.ts'

/** An entry of a log: everything that can change a world, with its time by the machine's clock. */
export type Entry = { atMs: number } & (
  | { request: RandomRequest }
  | { change: Change }
  | { end: LoggedEnd }
)

export interface DrivenOptions {
  options: SandboxOptions
  /** Empty for a default world. */
  tokenSuffix: string
  journalSize: number
}

/** A world whose clock shows the times of the applied entries. */
export class DrivenWorld {
  readonly world: World
  readonly #machine: { nowMs: number }

  private constructor(world: World, machine: { nowMs: number }) {
    this.world = world
    this.#machine = machine
  }

  static async create(driven: DrivenOptions, nowMs: number): Promise<DrivenWorld> {
    const machine = { nowMs }
    const world = await World.create(await worldOptions(driven, machine))
    recordSession(world)
    recordReview(world, { awaitsLog: true })
    return new DrivenWorld(world, machine)
  }

  /** Resumes the same world, as in another process. */
  static async resume(driven: DrivenOptions, text: string, seeds: Seeds): Promise<DrivenWorld> {
    const { atMs, world: stored, session, review } = JSON.parse(text)
    const machine = { nowMs: atMs }
    const world = await World.resume(await worldOptions(driven, machine), stored, seeds)
    resumeSession(world, session, seeds)
    resumeReview(world, review)
    return new DrivenWorld(world, machine)
  }

  /** Writes the whole world as text. */
  async store(seeds: Seeds): Promise<string> {
    const world = await this.world.store(seeds)
    const session = storeSession(this.world, seeds)
    const review = storeReview(this.world)
    return JSON.stringify({ atMs: this.#machine.nowMs, world, session, review })
  }

  /** Reads everything at a later time, and returns to the time of the last entry. */
  async readLater(ms: number, seeds: Seeds): Promise<void> {
    const { nowMs } = this.#machine
    this.#machine.nowMs += ms
    await this.#read(seeds)
    this.#machine.nowMs = nowMs
  }

  /** Applies an entry and returns the sender's response as text. */
  async apply(entry: Entry): Promise<string> {
    this.#machine.nowMs = entry.atMs
    const { world } = this
    if ('request' in entry) return describeAnswer(world, toApiRequest(entry.request))
    if ('end' in entry) {
      applyEnd(world, entry.end)
      return ''
    }
    return JSON.stringify(await world.perform(entry.change).catch(refusal))
  }

  /** Everything that can be read of the world, before and after a reset; to be called only at the end. */
  async observe(seeds: Seeds): Promise<string[]> {
    const { world } = this
    const before = await this.#read(seeds)
    await world.command({ type: 'reset' })
    return [...before, ...(await this.#read(seeds))]
  }

  async #read(seeds: Seeds): Promise<string[]> {
    const { world } = this
    const { journal } = world
    const projects = world.records.all('projects').map(({ id }) => id)
    const session = await sessionOf(world, { toReview: toSessionReview }).catch(refusal)
    const parts = [
      [...journal.requests()],
      [...journal.details()],
      journalEntries(journal),
      journal.sequence,
      session,
      projects.map((id) => world.explain(id, { at: 'now+1d', changes: 2 })),
      world.faults,
      reviewOf(world),
      reviewOf(world, { since: 'start', projects }),
      world.policies,
      world.clock,
      world.origin,
      [...world.secrets.owners],
      world.options.seed,
      await world.snapshot(),
    ]
    return [...parts.map((part) => JSON.stringify(part)), await this.store(seeds)]
  }
}

/** Commands may be refused, because they are drawn without regard to the world. */
function refusal(error: unknown): object {
  if (error instanceof CommandError) return { code: error.code, message: error.message }
  throw error
}

function describeAnswer(world: World, request: ApiRequest): string {
  const { body, ...answer } = world.handle(request)
  return JSON.stringify({ ...answer, body: new TextDecoder().decode(body) })
}

/** The seeds of stored worlds, by their keys. */
export class Seeds {
  readonly #keys = new Map<Seed, string>()
  readonly #byKey = new Map<string, Seed>()

  readonly keyOf = (seed: Seed): string => {
    const known = this.#keys.get(seed)
    if (known !== undefined) return known
    const text = JSON.stringify(seed)
    const key = [...this.#byKey].find(([, other]) => JSON.stringify(other) === text)?.[0]
    const own = key ?? `seed ${this.#byKey.size + 1}`
    this.#keys.set(seed, own)
    // Parsed, because another process reads the seed from text.
    if (key === undefined) this.#byKey.set(own, JSON.parse(text))
    return own
  }

  readonly seedOf = (key: string): Seed => {
    const seed = this.#byKey.get(key)
    if (!seed) throw new RangeError(`There is no ${key}.`)
    this.#keys.set(seed, key)
    return seed
  }
}

async function worldOptions(
  { options, tokenSuffix, journalSize }: DrivenOptions,
  machine: { nowMs: number },
): Promise<WorldOptions> {
  const { fixtures, generate } = options
  return {
    id: tokenSuffix === '' ? 'default' : 'w1',
    tokenSuffix,
    suffixesAll: true,
    givenValues: new GivenValues(),
    maximumGenerated: 1000,
    seed: await readSeed(await fixtures, options),
    settings: completeSettings(parseSettings(options, WORLD_OPTION_NAMES, 'createSandbox')),
    scenarios: SCENARIO_LIBRARY,
    readFixtures: (others) => readSeed(others as never, { generate }),
    journalSize,
    realNow: () => machine.nowMs,
    timer: () => 0,
    errors: {},
  }
}
