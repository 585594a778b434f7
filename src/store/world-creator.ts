import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { withoutSuffix } from '../records/namespaced-tokens.ts'
import { toIsolatedOptions } from '../world/isolated-options.ts'
import type { IsolatedWorldSettings } from '../world/isolated-options.ts'
import { OptionError } from '../world/option-error.ts'
import type { WorldOptions } from '../world/world-state.ts'
import { World } from '../world/world.ts'
import { worldNotFound } from '../world/worlds.ts'
import type { CreatedWorld, WorldsOptions } from '../world/worlds.ts'
import type { Creation } from './creation.ts'
import type { Redis } from './redis.ts'
import type { StoredInputs } from './stored-inputs.ts'
import { requireLoadWithin } from './world-limits.ts'
import type { WorldLimits } from './world-limits.ts'
import type { WorldLog } from './world-log.ts'

/** How the default world of a store starts, and isolated ones where nothing else is said. */
interface CreatorOptions extends Pick<WorldsOptions, 'base' | 'readSeed' | 'createSecret'> {
  stated: Creation['stated']
  /** What isolated worlds may have; anything where omitted. */
  limits?: WorldLimits
}

/** The ids of all isolated worlds, by when they were created. */
export const WORLDS = 'seo-sandbox:worlds'

/** How long a world is kept while unused: by the clock of Redis, which may be set. */
const LEAST_IDLE_MS = 86_400_000

/** An isolated world that is not in the store yet. */
interface PreparedWorld extends Pick<CreatedWorld, 'id' | 'tokens'> {
  /** @throws StoreError */
  create: () => Promise<void>
}

/** The options of a world that its creation has. */
type CreatedOptions = Pick<
  WorldOptions,
  'id' | 'tokenSuffix' | 'seed' | 'settings' | 'maximumGenerated' | 'journalSize'
>

/** What a creation has besides. */
interface CreatedAs {
  createdMs: number
  stated: Creation['stated']
  idleMs: number
}

interface CreatorContext {
  redis: Redis
  inputs: StoredInputs
  createNonce: () => string
  logOf: (world: string) => WorldLog
}

/** Creates worlds in a store, and drops them: each with every option resolved, so that nothing later depends on a replica's own options. */
export class WorldCreator {
  readonly #options: CreatorOptions
  readonly #context: CreatorContext

  constructor(options: CreatorOptions, context: CreatorContext) {
    this.#options = options
    this.#context = context
  }

  /** @throws OptionError where the store has a default world that was created with other options. */
  async createDefault(): Promise<void> {
    const { base, stated: given } = this.#options
    const own = { createdMs: Date.now(), stated: given, idleMs: Infinity }
    // A replica can start where nothing can be written.
    const found = await this.#context.logOf(base.id).describe()
    const created = found?.creation ?? (await this.create(base, own))
    const { created_ms: _, settings: set, ...existing } = JSON.parse(created) as Creation
    const wanted = JSON.parse(this.#toText(base, own)) as Creation
    const names = [...differencesOf(existing, wanted), ...differencesOf(set, wanted.settings)]
    if (names.length === 0) return
    throw new OptionError(
      `--store: The default world of this store was created with other options (${names.join(', ')}). Start with the same fixtures and options, or use another database of the store.`,
    )
  }

  /**
   * An isolated world as that of a process is, checked, and with its tokens.
   *
   * @throws CommandError, and the errors of `readSeed`
   */
  async prepareIsolated({
    idleMs = Infinity,
    ...own
  }: IsolatedWorldSettings = {}): Promise<PreparedWorld> {
    const { base, readSeed, createSecret, limits } = this.#options
    const id = `w${randomInt(2 ** 47)}`
    const options = await toIsolatedOptions(own, { base, readSeed, preset: base.seed })
    if (limits) {
      // That of the default world is the operator's own.
      if (options.seed !== base.seed)
        requireLoadWithin(limits, options, JSON.stringify(options.seed))
      options.journalSize = Math.min(base.journalSize, limits.journal)
    }
    const { generate, locale } = own
    const isolated = { ...base, ...options, id, tokenSuffix: `~${id}-${createSecret()}` }
    // Every replica does the same by the log.
    const world = await World.create({ ...isolated, requireRoom: () => undefined })
    const tokens = world.records.all('tokens').map(({ token }) => [withoutSuffix(token), token])
    const keptMs = Math.max(idleMs, LEAST_IDLE_MS)
    const create = async (): Promise<void> => {
      const createdMs = Date.now()
      await this.#context.redis.send(['ZADD', WORLDS, String(createdMs), id])
      await this.create(isolated, { createdMs, stated: { generate, locale }, idleMs: keptMs })
    }
    return { id, tokens: Object.fromEntries(tokens) as Record<string, string>, create }
  }

  /** Creates a world where there is none, and returns the creation that holds. */
  async create(options: CreatedOptions, own: CreatedAs): Promise<string> {
    const { inputs, createNonce, logOf } = this.#context
    const { id, seed } = options
    await inputs.put(JSON.stringify(seed), id)
    const { idleMs } = own
    return logOf(id).create(this.#toText(options, own), { nonce: createNonce(), idleMs })
  }

  /** Drops an isolated world. @throws CommandError, StoreError */
  async drop(id: string): Promise<void> {
    const { redis, logOf } = this.#context
    const isThere = await redis.send(['ZREM', WORLDS, id])
    if (isThere === 0) throw worldNotFound(id)
    await logOf(id).drop()
  }

  #toText(options: CreatedOptions, { createdMs, stated, idleMs }: CreatedAs): string {
    const creation: Creation = {
      id: options.id,
      token_suffix: options.tokenSuffix,
      created_ms: createdMs,
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

/** The names of the settings that differ. One that is missing was not known to the other release. */
function differencesOf(one: object, other: object): string[] {
  const others = new Map(Object.entries(other))
  return Object.entries(one).flatMap(([name, value]) =>
    !others.has(name) || isDeepStrictEqual(value, others.get(name)) ? [] : [name],
  )
}
