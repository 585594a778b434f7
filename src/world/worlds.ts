import { bearerOf } from '../engine/authenticator.ts'
import type { ApiRequest } from '../engine/messages.ts'
import type { Seed } from '../fixtures/seed.ts'
import { withoutSuffix, worldOfToken } from '../records/bearer-tokens.ts'
import { CommandError, invalidCommand } from './command-error.ts'
import type { ListPage, ListRange, WorldInfo } from './hosted-worlds.ts'
import { toIsolatedOptions, IsolatedWorlds } from './isolated-worlds.ts'
import type { IsolatedWorldSettings, WorldSource, IsolatedWorldEntry } from './isolated-worlds.ts'
import type { WorldOptions } from './world-state.ts'
import { World } from './world.ts'

/** The id of the world that handles every request whose token belongs to no isolated world. */
export const DEFAULT_WORLD = 'default'

export interface CreatedWorld {
  id: string
  /** The namespaced token for each bearer value of the fixture. */
  tokens: Record<string, string>
  world: World
}

/** A world that was dropped automatically. */
export interface DroppedWorld {
  id: string
  /** `idle` for a world that was unused for longer than it is kept, `displaced` for one that made room for another. */
  reason: 'idle' | 'displaced'
}

export interface WorldsOptions {
  /** Options with which the default world starts. */
  base: WorldOptions
  /** @throws FixtureError or OptionError for an invalid source. */
  readSeed: (source: WorldSource) => Promise<Seed>
  /** Called with each world, the default one included, before its first request. */
  onCreate: (world: World) => void
  /** Returns an unguessable string of 16 lower-case letters and digits. */
  createSecret: () => string
  /** Maximum number of isolated worlds. */
  maximumWorlds: number
}

/** The worlds of a process: the default one, and the isolated ones with their own records, clocks and journals. */
export class Worlds {
  readonly default: World
  readonly #options: WorldsOptions
  readonly #isolated: IsolatedWorlds
  readonly #owners = new TokenOwners({ first: DEFAULT_WORLD })
  readonly #watchers = new Set<(dropped: DroppedWorld) => void>()
  #created = 0

  private constructor(world: World, options: WorldsOptions) {
    this.default = world
    this.#options = options
    this.#isolated = new IsolatedWorlds(options.base.realNow)
    this.#noteTokens(DEFAULT_WORLD, world)
    world.subscribe({ onCommand: () => this.#noteTokens(DEFAULT_WORLD, world) })
  }

  static async create(options: WorldsOptions): Promise<Worlds> {
    const world = await World.create(options.base)
    options.onCreate(world)
    return new Worlds(world, options)
  }

  /** Number of worlds, the default one included. */
  get size(): number {
    this.#dropIdle()
    return this.#isolated.size + 1
  }

  /**
   * Creates an isolated world. Its tokens are namespaced: the fixture's values with one suffix for all of them, including
   * tokens that it loads or restores later. If there are already `maximumWorlds` isolated worlds, drops the least recently
   * used one, unless that was used within the last minute.
   *
   * @throws CommandError if there is no room for another world, or if this one would have more generated projects or longer bearer
   * values than a world may have; FixtureError or OptionError for an invalid source.
   */
  async create({
    idleMs = Infinity,
    ...settings
  }: IsolatedWorldSettings = {}): Promise<CreatedWorld> {
    this.#created += 1
    const number = this.#created
    const id = `w${number}`
    const { base, readSeed } = this.#options
    const world = await World.create({
      ...base,
      ...(await toIsolatedOptions(settings, { base, readSeed, preset: this.default.options.seed })),
      id,
      tokenSuffix: `~${id}-${this.#options.createSecret()}`,
    })
    this.#requireRoom()
    this.#options.onCreate(world)
    this.#add({ id, number, world, idleMs })
    const tokens = world.records.all('tokens').map(({ token }) => [withoutSuffix(token), token])
    return { id, world, tokens: Object.fromEntries(tokens) as Record<string, string> }
  }

  /** Returns a world by its id, which counts as a use of the world. @throws CommandError for an unknown id. */
  get(id: string): World {
    const world = this.find(id)
    if (!world) throw worldNotFound(id)
    this.#use(id)
    return world
  }

  /** Same as `get`, without counting as a use; undefined for an unknown id. */
  find(id: string): World | undefined {
    return id === DEFAULT_WORLD ? this.default : this.#find(id)?.world
  }

  /** Returns the isolated worlds, the oldest first. */
  list(): WorldInfo[] {
    this.#dropIdle()
    return this.#isolated.list()
  }

  page({ limit = Infinity, after }: ListRange = {}): ListPage<WorldInfo> {
    this.#dropIdle()
    return this.#isolated.page({ limit, after })
  }

  inMemory(): World[] {
    return [this.default, ...this.#isolated.all().map(({ world }) => world)]
  }

  /**
   * Drops an isolated world, whose tokens are then unknown.
   *
   * @throws CommandError for an unknown id, and for the default world.
   */
  drop(id: string): void {
    if (id === DEFAULT_WORLD) {
      const message = 'The default world cannot be dropped. Reset it instead.'
      throw invalidCommand({ path: [], message })
    }
    const entry = this.#find(id)
    if (!entry) throw worldNotFound(id)
    this.#forget(entry)
  }

  /**
   * Returns the world of a request's token. An unknown token belongs to the world of its suffix; without a suffix of a world, or
   * without a token, the request belongs to the default world.
   */
  worldOf(request: Pick<ApiRequest, 'header'>): World {
    if (this.#isolated.size === 0) return this.default
    const bearer = bearerOf(request.header('authorization')) ?? ''
    const owner = this.#owners.ownerOf(bearer) ?? this.#ownerOfSuffix(bearer)
    if (owner === undefined || owner === DEFAULT_WORLD) return this.default
    // Finding an idle world drops it along with its tokens, so this token may now belong to another world.
    return this.#find(owner)?.world ?? this.worldOf(request)
  }

  /** Returns the id of the world whose complete suffix, secret included, ends the bearer value; undefined if there is none. */
  #ownerOfSuffix(bearer: string): string | undefined {
    const entry = this.#isolated.get(worldOfToken(bearer) ?? '')
    return entry && bearer.endsWith(entry.world.options.tokenSuffix) ? entry.id : undefined
  }

  /** Adds a watcher, called for each world that is dropped automatically. Returns a function that removes the watcher. */
  watchDrops(watcher: (dropped: DroppedWorld) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #add(added: Pick<IsolatedWorldEntry, 'id' | 'number' | 'world' | 'idleMs'>): void {
    const { id, world } = added
    const unsubscribe = world.subscribe({
      onRequest: () => {
        entry.requests += 1
        this.#isolated.use(entry)
      },
      onCommand: () => {
        this.#noteTokens(id, world)
        this.#isolated.use(entry)
      },
    })
    const entry = this.#isolated.add({ ...added, unsubscribe })
    this.#noteTokens(id, world)
  }

  /** Replaces the recorded bearer values of a world. */
  #noteTokens(id: string, world: World): void {
    const tokens = world.records.all('tokens')
    this.#owners.set(id, new Set(tokens.map(({ token }) => token)))
  }

  #find(id: string): IsolatedWorldEntry | undefined {
    const entry = this.#isolated.get(id)
    if (entry && this.#isolated.isIdle(entry)) {
      this.#dropAutomatically(entry, 'idle')
      return undefined
    }
    return entry
  }

  #use(id: string): void {
    const entry = this.#isolated.get(id)
    if (entry) this.#isolated.use(entry)
  }

  #dropIdle(): void {
    for (const entry of this.#isolated.all()) {
      if (this.#isolated.isIdle(entry)) this.#dropAutomatically(entry, 'idle')
    }
  }

  /** Makes room for one more world. @throws CommandError if all worlds were used within the last minute. */
  #requireRoom(): void {
    const { maximumWorlds } = this.#options
    this.#dropIdle()
    if (this.#isolated.size < maximumWorlds) return
    const [unused] = this.#isolated.displaceable()
    if (!unused) {
      const message = `There are ${maximumWorlds} isolated worlds, which is the most, and every one was used within the last minute. Drop one that is no longer needed, or start Node with a larger --max-old-space-size.`
      throw new CommandError('insufficient_memory', [{ path: [], message }])
    }
    this.#dropAutomatically(unused, 'displaced')
  }

  #dropAutomatically(entry: IsolatedWorldEntry, reason: DroppedWorld['reason']): void {
    this.#forget(entry)
    for (const watcher of this.#watchers) watcher({ id: entry.id, reason })
  }

  #forget(entry: IsolatedWorldEntry): void {
    const { id, unsubscribe } = entry
    unsubscribe()
    this.#isolated.delete(entry)
    this.#owners.set(id, new Set())
  }
}

export function worldNotFound(id: string): CommandError {
  const message = `There is no world ${JSON.stringify(id)}. It was dropped or never created. POST /_sandbox/worlds creates one.`
  return new CommandError('world_not_found', [{ path: [], message }])
}

/** The world of each bearer value. If several worlds have a value, one takes precedence. */
class TokenOwners {
  readonly #first: string
  /** By bearer value, the ids of the worlds that have it, in order of precedence. */
  readonly #claimants = new Map<string, string[]>()
  readonly #values = new Map<string, ReadonlySet<string>>()

  /** `first` is the id of the world that always takes precedence. Among other worlds, the first to claim a value does. */
  constructor({ first }: { first: string }) {
    this.#first = first
  }

  /** Replaces the bearer values of a world; an empty set removes the world. */
  set(world: string, values: ReadonlySet<string>): void {
    const before = this.#values.get(world) ?? new Set()
    for (const value of before) if (!values.has(value)) this.#release(value, world)
    for (const value of values) if (!before.has(value)) this.#claim(value, world)
    if (values.size > 0) this.#values.set(world, values)
    else this.#values.delete(world)
  }

  ownerOf(value: string): string | undefined {
    return this.#claimants.get(value)?.[0]
  }

  #claim(value: string, world: string): void {
    const others = this.#claimants.get(value) ?? []
    this.#claimants.set(value, world === this.#first ? [world, ...others] : [...others, world])
  }

  #release(value: string, world: string): void {
    const others = (this.#claimants.get(value) ?? []).filter((claimant) => claimant !== world)
    if (others.length > 0) this.#claimants.set(value, others)
    else this.#claimants.delete(value)
  }
}
