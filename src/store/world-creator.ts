import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { describe, withoutControls } from '../contract/text.ts'
import type { Seed } from '../fixtures/seed.ts'
import { GivenValues } from '../journal/bearer-finder.ts'
import { withoutSuffix } from '../records/bearer-tokens.ts'
import { invalidCommand } from '../world/command-error.ts'
import type { CommandError } from '../world/command-error.ts'
import { sizeOf } from '../world/commands/additions.ts'
import { toIsolatedOptions } from '../world/isolated-worlds.ts'
import type { IsolatedWorldSettings, WorldSource } from '../world/isolated-worlds.ts'
import { completeSettings, flagNameOf, SETTING_NAMES } from '../world/options/table.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { PartialSettings, WorldSettings } from '../world/options/table.ts'
import type { WorldOptions } from '../world/world-state.ts'
import { World } from '../world/world.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { CreatedWorld, WorldsOptions } from '../world/worlds.ts'
import type { Redis } from './redis.ts'
import { keysOf } from './store-keys.ts'
import { requireWithin } from './store-options.ts'
import type { SharedLimits } from './store-options.ts'
import type { StoredInputs } from './stored-inputs.ts'
import type { WorldLog } from './world-log.ts'

/** Options of the default world, and defaults for the options of isolated ones. */
interface CreatorOptions extends Pick<WorldsOptions, 'base' | 'readSeed' | 'createSecret'> {
  stated: Creation['stated']
  /** Limits of isolated worlds; unlimited if omitted. */
  limits?: SharedLimits | undefined
}

/** Options that the user gave for the default world. */
export interface ExplicitOptions {
  settings: PartialSettings
  /** True if the options name fixtures, a scenario, the demo, or data to generate. */
  isSource: boolean
}

/** Minimum time for which an unused world is kept, so that an adjustment of the clock of Redis does not remove it. */
const MINIMUM_IDLE_MS = 86_400_000

/** An isolated world that is not in the store yet. */
interface PreparedWorld extends CreatedWorld {
  /**
   * Creates the world in the store. `invitation` contains the first arguments of the Redis function `invite`; omitted for
   * a world without a partner.
   *
   * @throws CommandError, StoreError
   */
  create: (invitation?: readonly string[]) => Promise<void>
}

/** Options of a world that are stored in its `Creation`. */
type CreatedOptions = Pick<
  WorldOptions,
  'id' | 'tokenSuffix' | 'seed' | 'settings' | 'maximumGenerated' | 'journalSize'
>

interface CreatedAs {
  stated: Creation['stated']
  idleMs: number
  invitation?: readonly string[] | undefined
}

interface CreatorContext {
  /** The connection for large values, so that other calls don't wait for them. */
  redis: Redis
  inputs: StoredInputs
  createNonce: () => string
  logOf: (world: string) => WorldLog
}

/**
 * The creation of worlds in a store. Every option is resolved at creation, so that nothing later depends on a replica's own
 * options.
 */
export class WorldCreator {
  readonly #options: CreatorOptions
  readonly #context: CreatorContext
  #base: WorldsOptions['base']

  constructor(options: CreatorOptions, context: CreatorContext) {
    this.#options = options
    this.#base = options.base
    this.#context = context
  }

  /**
   * Creates the default world if the store has none, and returns its options, which become the defaults for other
   * worlds.
   *
   * @throws OptionError if an existing world differs from the explicit options, CommandError, StoreError
   */
  async createDefault(explicit?: ExplicitOptions): Promise<WorldsOptions['base']> {
    const base = this.#base
    const createdAs = { stated: this.#options.stated, idleMs: Infinity }
    // Reads first, so that a replica can start even when nothing can be written.
    const found = await this.#context.logOf(base.id).describe()
    if (!found) await World.create(base)
    const creation = JSON.parse(found?.creation ?? (await this.create(base, createdAs))) as Creation
    const wanted = JSON.parse(this.#toText(base, createdAs)) as Creation
    const others = explicit ? differencesOf(creation, wanted, explicit) : []
    if (others.length > 0) {
      throw new OptionError(
        withoutControls(
          `--store: The default world of this store has ${others.join(', ')}. Leave out the differing options to continue with it, or use another database of the store.`,
        ),
      )
    }
    this.#base = await asCreated(base, creation, this.#context.inputs)
    return this.#base
  }

  /**
   * Prepares an isolated world: checks its settings, and creates its tokens.
   *
   * @throws CommandError, and the errors of `readSeed`
   */
  async prepareIsolated({
    idleMs = Infinity,
    ...settings
  }: IsolatedWorldSettings = {}): Promise<PreparedWorld> {
    const { readSeed, createSecret, limits } = this.#options
    const base = this.#base
    const id = `w${randomInt(2 ** 47)}`
    const options = await toIsolatedOptions(settings, { base, readSeed, preset: base.seed })
    if (limits) {
      // The seed of the default world is the operator's own, and exempt from the limits.
      if (options.seed !== base.seed) requireWithin(limits, sizeOf(options))
      options.journalSize = Math.min(base.journalSize, limits.journal)
    }
    const { generate, locale } = settings
    const isolated = { ...base, ...options, id, tokenSuffix: `~${id}-${createSecret()}` }
    const world = await World.create(isolated)
    const tokens = world.records.all('tokens').map(({ token }) => [withoutSuffix(token), token])
    const keptMs = Math.max(idleMs, MINIMUM_IDLE_MS)
    const create = async (invitation?: readonly string[]): Promise<void> => {
      await this.create(isolated, { stated: { generate, locale }, idleMs: keptMs, invitation })
    }
    return { id, world, tokens: Object.fromEntries(tokens) as Record<string, string>, create }
  }

  /**
   * Creates a world unless it exists. Returns its stored `Creation`, as JSON.
   *
   * @throws CommandError if the store has no room, or another partner has the name; StoreError
   */
  async create(options: CreatedOptions, createdAs: CreatedAs): Promise<string> {
    const { redis, inputs, createNonce } = this.#context
    const { id, seed } = options
    const { idleMs, invitation } = createdAs
    const idle = idleMs === Infinity ? '' : String(idleMs)
    const isIsolated = id === DEFAULT_WORLD ? '' : '1'
    const created = [createNonce(), this.#toText(options, createdAs), idle, isIsolated]
    const keys = keysOf(id, ['log', 'world', 'snapshot', ...(invitation ? ['partner'] : [])])
    const name = invitation ? 'invite' : 'create'
    const [status, creation] = await inputs.keep(JSON.stringify(seed), (digest, packed) =>
      redis.call(name, keys, [...(invitation ?? []), ...created, digest, packed]),
    )
    if (status === 'name_taken') throw nameTaken(invitation?.[0] ?? '', String(creation))
    return String(creation)
  }

  #toText(options: CreatedOptions, { stated, idleMs }: CreatedAs): string {
    const creation: Creation = {
      id: options.id,
      token_suffix: options.tokenSuffix,
      seed: this.#context.inputs.keyOf(options.seed),
      settings: options.settings,
      stated,
      maximum_generated: options.maximumGenerated,
      journal_size: options.journalSize,
      idle_ms: idleMs === Infinity ? null : idleMs,
    }
    return JSON.stringify(creation)
  }
}

export function nameTaken(name: string, id: string): CommandError {
  const message = `${describe(name)} is the name of the partner ${id} already. Renew or revoke that one, or choose another name.`
  return invalidCommand({ path: ['name'], message })
}

/** Returns the base options with the seed, settings and journal size of a world's creation. */
export async function asCreated(
  base: WorldsOptions['base'],
  { seed, settings, journal_size: journalSize }: Creation,
  inputs: StoredInputs,
): Promise<WorldsOptions['base']> {
  const complete = completeSettings(settings)
  return { ...base, seed: await inputs.seed(seed), settings: complete, journalSize }
}

/** Returns the options of an existing world that differ from the explicit ones, as flags of the command line. */
function differencesOf(creation: Creation, wanted: Creation, explicit: ExplicitOptions): string[] {
  const existing = completeSettings(creation.settings)
  const others = SETTING_NAMES.flatMap((name) => {
    if (explicit.settings[name] === undefined) return []
    const [requested, other] = [explicit.settings[name], existing[name]].map(toPlain)
    if (isDeepStrictEqual(requested, other)) return []
    const flag = `--${flagNameOf(name)}`
    if (other === null || other === true) return other ? flag : `no ${flag}`
    return `${flag} ${typeof other === 'string' ? other : JSON.stringify(other)}`
  })
  const { seed, stated } = creation
  const isSame = isDeepStrictEqual([seed, stated], [wanted.seed, wanted.stated])
  return explicit.isSource && !isSame ? [...others, 'other fixtures'] : others
}

/** Normalizes a setting to its JSON value. A switch that is off equals an unset one. */
function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value || null))
}

/** Options with which a world was created, fully resolved, so that nothing depends on the replica that continues it. */
export interface Creation {
  id: string
  token_suffix: string
  /** The digest of the seed. */
  seed: string
  settings: WorldSettings
  /** Generation options for fixtures that the world loads later. */
  stated: Pick<IsolatedWorldSettings, 'generate' | 'locale'>
  maximum_generated: number
  journal_size: number
  /** Time for which the world is kept while unused, in milliseconds; null if it is kept however long it is unused. */
  idle_ms: number | null
}

/** Options with which the worlds of a store start and run in this process. */
export interface StartOptions {
  scenarios: WorldOptions['scenarios']
  readSeed: (source: WorldSource) => Promise<Seed>
  /** Secrets such as the admin key, which every world hides in addition to its own bearer values. */
  hidden: readonly string[]
}

/** Returns the options with which a replica creates or resumes a world. */
export function toReplicaOptions(
  creation: Creation,
  seed: Seed,
  { scenarios, hidden }: StartOptions,
  { realNow, order, errors }: Required<Pick<WorldOptions, 'realNow' | 'order' | 'errors'>>,
): Omit<WorldOptions, 'timer'> {
  const givenValues = new GivenValues()
  for (const value of hidden) givenValues.addForGood(value)
  return {
    id: creation.id,
    tokenSuffix: creation.token_suffix,
    suffixesAll: true,
    givenValues,
    maximumGenerated: creation.maximum_generated,
    seed,
    settings: creation.settings,
    scenarios,
    readFixtures: () => {
      throw new TypeError('Fixtures are read before they are in a log.')
    },
    journalSize: creation.journal_size,
    realNow,
    order,
    errors,
  }
}
