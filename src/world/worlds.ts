import type { z } from 'zod'
import type { Seed } from '../fixtures/seed.ts'
import type { Generate } from '../records/generation/generate.ts'
import { toDateTime } from '../contract/moments.ts'
import { bearerOf } from '../engine/authenticator.ts'
import type { ApiRequest } from '../engine/messages.ts'
import type { WorldInfo } from './world-info.ts'
import { CommandError, invalidCommand } from './command-error.ts'
import { withoutSuffix } from '../records/namespaced-tokens.ts'
import { TokenOwners } from './token-owners.ts'
import { World } from './world.ts'
import { completeSettings } from './settings.ts'
import type { PartialSettings } from './settings.ts'
import type { WorldOptions } from './world-state.ts'

/** The id of the world that handles every request whose token belongs to no isolated world. */
export const DEFAULT_WORLD = 'default'

/** How many requests the journal of an isolated world keeps. */
const JOURNAL_SIZE = 1000

/** The most projects that an isolated world may generate, so that a thousand worlds fit in memory. */
const MAXIMUM_GENERATED = 1000

/** Where the records of a world come from, as for a sandbox. */
interface WorldSource {
  fixtures?: string | object | undefined
  scenario?: string | undefined
  generate?: z.input<typeof Generate> | undefined
}

/** The settings of an isolated world; those omitted are as in the default world. */
export interface IsolatedWorldSettings extends WorldSource {
  settings?: PartialSettings | undefined
  /** How long it is kept while unused, by the machine's clock; unlimited where omitted. */
  idleMs?: number | undefined
}

export interface CreatedWorld {
  id: string
  /** The namespaced token for each bearer value of the fixture. */
  tokens: Record<string, string>
  world: World
}

/** A world that was dropped automatically. */
export interface DroppedWorld {
  id: string
  /** `idle` for one that was unused for too long, `displaced` for one that made room for a new one. */
  reason: 'idle' | 'displaced'
}

export interface WorldsOptions {
  /** How the default world starts. */
  base: WorldOptions
  /** @throws FixtureError or OptionError for an invalid source. */
  readSeed: (source: WorldSource) => Promise<Seed>
  /** Called with each world, the default one included, before its first request. */
  onCreate: (world: World) => void
  /** An unguessable text of lower-case letters and digits. */
  createSecret: () => string
  /** How many isolated worlds may exist at a time. */
  maximumWorlds: number
}

interface IsolatedWorld {
  id: string
  /** Its place in the order of creation, from 1. */
  number: number
  world: World
  unsubscribe: () => void
  createdMs: number
  usedMs: number
  idleMs: number
  requests: number
}

/** The worlds of a process: the default one and the isolated ones, which share no mutable state. */
export class Worlds {
  readonly default: World
  readonly #options: WorldsOptions
  /** In the order of their last use. */
  readonly #isolated = new Map<string, IsolatedWorld>()
  readonly #owners = new TokenOwners({ first: DEFAULT_WORLD })
  readonly #watchers = new Set<(dropped: DroppedWorld) => void>()
  #created = 0

  private constructor(world: World, options: WorldsOptions) {
    this.default = world
    this.#options = options
    this.#claim(DEFAULT_WORLD, world)
    world.subscribe({ onCommand: () => this.#claim(DEFAULT_WORLD, world) })
  }

  static async create(options: WorldsOptions): Promise<Worlds> {
    const world = await World.create(options.base)
    options.onCreate(world)
    return new Worlds(world, options)
  }

  /** How many worlds exist, the default one included. */
  get size(): number {
    this.#dropIdle()
    return this.#isolated.size + 1
  }

  /**
   * Creates an isolated world. Its tokens are namespaced: the fixture's values with one suffix for all of
   * them, also for tokens that it loads or restores later. Where there are too many worlds, the least
   * recently used one is dropped.
   *
   * @throws CommandError for one that is too large, and the errors of `readSeed`.
   */
  async create({ idleMs = Infinity, ...own }: IsolatedWorldSettings = {}): Promise<CreatedWorld> {
    this.#created += 1
    const number = this.#created
    const id = `w${number}`
    const world = await World.create({
      ...this.#options.base,
      ...(await this.#optionsOf(own)),
      id,
      tokenSuffix: `~${id}-${this.#options.createSecret()}`,
      maximumGenerated: MAXIMUM_GENERATED,
      journalSize: JOURNAL_SIZE,
    })
    this.#options.onCreate(world)
    this.#add({ id, number, world, idleMs })
    this.#makeRoom()
    const tokens = world.records.all('tokens').map(({ token }) => [withoutSuffix(token), token])
    return { id, world, tokens: Object.fromEntries(tokens) as Record<string, string> }
  }

  /** A world by its id, which counts as a use of it. @throws CommandError */
  get(id: string): World {
    if (id === DEFAULT_WORLD) return this.default
    const entry = this.#find(id)
    if (!entry) throw worldNotFound(id)
    this.#use(entry)
    return entry.world
  }

  /** The isolated worlds, the oldest first. */
  list(): WorldInfo[] {
    this.#dropIdle()
    return [...this.#isolated.values()]
      .toSorted((one, other) => one.number - other.number)
      .map(({ id, createdMs, usedMs, requests }) => ({
        id,
        created_at: toDateTime(createdMs),
        last_used_at: toDateTime(usedMs),
        requests,
      }))
  }

  /** Drops an isolated world; its tokens are unknown from then on. @throws CommandError */
  drop(id: string): void {
    if (id === DEFAULT_WORLD) {
      const message = 'The default world cannot be dropped. Reset it instead.'
      throw invalidCommand({ path: [], message })
    }
    const entry = this.#find(id)
    if (!entry) throw worldNotFound(id)
    this.#forget(entry)
  }

  /** The world of a request's token; the default one where no world has it. */
  worldOf(request: Pick<ApiRequest, 'header'>): World {
    if (this.#isolated.size === 0) return this.default
    const bearer = bearerOf(request.header('authorization'))
    const owner = bearer === undefined ? undefined : this.#owners.ownerOf(bearer)
    if (owner === undefined || owner === DEFAULT_WORLD) return this.default
    // Finding an idle world drops it and its claim, so that the token may belong to another one.
    return this.#find(owner)?.world ?? this.worldOf(request)
  }

  /** Notifies a watcher of each world that is dropped automatically; returns the function that removes it. */
  watchDrops(watcher: (dropped: DroppedWorld) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** The options of a world with these settings; those omitted are as in the default one. */
  async #optionsOf({
    settings = {},
    ...source
  }: IsolatedWorldSettings): Promise<Pick<WorldOptions, 'seed' | 'settings' | 'readFixtures'>> {
    const { base, readSeed } = this.#options
    const isAsDefault = Object.values(source).every((value) => value === undefined)
    return {
      seed: isAsDefault ? this.default.options.seed : await readSeed(source),
      settings: completeSettings(settings, base.settings),
      readFixtures: isAsDefault
        ? base.readFixtures
        : (fixtures) => readSeed({ fixtures, generate: source.generate }),
    }
  }

  #add(added: Pick<IsolatedWorld, 'id' | 'number' | 'world' | 'idleMs'>): void {
    const { id, world } = added
    const nowMs = this.#nowMs()
    const unsubscribe = world.subscribe({
      onRequest: () => {
        entry.requests += 1
        this.#use(entry)
      },
      onCommand: () => {
        this.#claim(id, world)
        this.#use(entry)
      },
    })
    const entry = { ...added, unsubscribe, createdMs: nowMs, usedMs: nowMs, requests: 0 }
    this.#isolated.set(id, entry)
    this.#claim(id, world)
  }

  /** Maps the bearer values that a world has to it, in place of those before. */
  #claim(id: string, { records }: World): void {
    this.#owners.set(id, new Set(records.all('tokens').map(({ token }) => token)))
  }

  #find(id: string): IsolatedWorld | undefined {
    const entry = this.#isolated.get(id)
    if (entry && this.#isIdle(entry)) {
      this.#lose(entry, 'idle')
      return undefined
    }
    return entry
  }

  #use(entry: IsolatedWorld): void {
    this.#isolated.delete(entry.id)
    this.#isolated.set(entry.id, entry)
    entry.usedMs = this.#nowMs()
  }

  #isIdle({ usedMs, idleMs }: IsolatedWorld): boolean {
    return this.#nowMs() - usedMs > idleMs
  }

  #dropIdle(): void {
    for (const entry of this.#isolated.values()) {
      if (this.#isIdle(entry)) this.#lose(entry, 'idle')
    }
  }

  #makeRoom(): void {
    this.#dropIdle()
    for (const entry of this.#isolated.values()) {
      if (this.#isolated.size <= this.#options.maximumWorlds) return
      this.#lose(entry, 'displaced')
    }
  }

  #lose(entry: IsolatedWorld, reason: DroppedWorld['reason']): void {
    this.#forget(entry)
    for (const watcher of this.#watchers) watcher({ id: entry.id, reason })
  }

  #forget({ id, unsubscribe }: IsolatedWorld): void {
    unsubscribe()
    this.#isolated.delete(id)
    this.#owners.set(id, new Set())
  }

  #nowMs(): number {
    return this.#options.base.realNow()
  }
}

function worldNotFound(id: string): CommandError {
  const message = `There is no world ${JSON.stringify(id)}. It was dropped or never created. POST /_sandbox/worlds creates one.`
  return new CommandError('world_not_found', [{ path: [], message }])
}
