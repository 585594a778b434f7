import { randomBytes } from 'node:crypto'
import { toDateTime } from '../contract/time.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { setInterval, clearInterval } from '../contract/timers.ts'
import { bearerOf } from '../engine/authenticator.ts'
import { jsonContent } from '../engine/responses.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { isMagicToken } from '../records/magic-tokens.ts'
import { worldOfToken } from '../records/bearer-tokens.ts'
import { CommandError, invalidCommand } from '../world/command-error.ts'
import type { IsolatedWorldSettings } from '../world/isolated-worlds.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { ListPage, ListRange, WorldInfo } from '../world/hosted-worlds.ts'
import { World } from '../world/world.ts'
import { DEFAULT_WORLD, worldNotFound } from '../world/worlds.ts'
import type { CreatedWorld, WorldsOptions } from '../world/worlds.ts'
import { WorldCreator } from './world-creator.ts'
import type { Creation, StartOptions, ExplicitOptions } from './world-creator.ts'
import { Loads, defaultLoaded } from './loaded-worlds.ts'
import { createLogFunctions, LOG_FORMAT } from './log-functions.ts'
import { isGone, Partners } from './partners.ts'
import { Redis } from './redis.ts'
import type { StoreMeter } from './redis.ts'
import type { Replica } from './replica.ts'
import { Replicas } from './replicas.ts'
import { StoreError } from './store-error.ts'
import { StoreWatch } from './store-watch.ts'
import type { LargeWorld } from './store-watch.ts'
import { StoredInputs } from './stored-inputs.ts'
import { replaceAdminKey, agreeOnLimits } from './shared-options.ts'
import { WORLDS } from './store-keys.ts'
import { worldOfCode, worldOfKey } from './world-key.ts'
import type { WorldLimits } from './store-options.ts'
import { WorldLog } from './world-log.ts'
import { WorldList } from './world-list.ts'
import type { ListedWorld } from './world-list.ts'

/** The API's response to a token that belongs to no world. */
const UNAUTHENTICATED: ApiResponse = {
  status: PROBLEMS.unauthenticated.status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' },
  body: jsonContent({ message: PROBLEMS.unauthenticated.message }).bytes,
  caller: undefined,
  problem: 'unauthenticated',
}

/** Maximum time that a stopping server spends on snapshots, in milliseconds. */
const DRAIN_MS = 4000

/** Maximum number of times that a request tries the default world. Between them, the world is created again if it is gone. */
const MAXIMUM_ATTEMPTS = 5
const REMOVED =
  'The default world is removed from the store again and again. Find out what removes it, and send the request again.'

/** Maximum number of damaged worlds that `problems` names. */
const MAXIMUM_NAMED = 10

/** Interval at which a replica fetches the entries of other servers while a client follows a world. */
const FOLLOW_MS = 200

/** Interval between checks that the key of a following client still opens the world. */
const CHECK_KEY_MS = 1000

export interface StoreBackendOptions extends Omit<WorldsOptions, 'onCreate' | 'maximumWorlds'> {
  /** Maximum size of the heap of this process, in bytes. */
  heapLimit: number
  /** The URL of Redis or Valkey. */
  url: string
  /** Secrets such as the admin key, which every world hides in addition to its own bearer values. */
  hidden: readonly string[]
  /** Generation options for fixtures that the default world loads later. */
  stated: Creation['stated']
  /** Tells the operator about an error that no client caused, and the world that it concerns. */
  onError: (error: unknown, world?: string) => void
  meter?: StoreMeter | undefined
  explicit: ExplicitOptions
  /** Limits that the user set. Omitted ones are those of the store, or have their defaults if the store has none. */
  limits: Partial<WorldLimits>
  /** True to refuse the documented tokens in the default world, so that strangers cannot use it. */
  isDefaultClosed?: boolean
  /** True to use a new isolated world in place of the default one, and to drop it on close. */
  hasOwnWorld?: boolean
  /** The log format; by default this release's. */
  format?: number
}

/** The worlds of a store. This process holds some of them in memory; equal logs give equal worlds in every process. */
export class StoreBackend {
  readonly limits: WorldLimits
  readonly partners: Partners
  readonly inMemory = (): Iterable<World> => this.#replicas.worlds()
  readonly #start: StartOptions
  readonly #redis: Redis
  readonly #bulk: Redis
  readonly #list: WorldList<WorldInfo>
  readonly #inputs: StoredInputs
  readonly #replicas: Replicas
  readonly #creator: WorldCreator
  readonly #loads: Loads
  readonly #watch: StoreWatch
  /** Returns true if the default world accepts requests with a token. */
  readonly admits = ({ token }: Pick<TokenRecord, 'token'>): boolean =>
    !this.#isDefaultClosed || !isMagicToken(token)
  readonly #nonces: string
  readonly #isDefaultClosed: boolean
  readonly #onError: StoreBackendOptions['onError']
  #lastNonce = 0
  #world: World | undefined
  /** The id of the world that serves as the default one in this process. */
  #home = DEFAULT_WORLD

  private constructor(
    options: StoreBackendOptions,
    { redis, bulk, limits }: { redis: Redis; bulk: Redis; limits: WorldLimits },
  ) {
    this.limits = limits
    const { base, readSeed, hidden, onError, meter, heapLimit } = options
    const { format = LOG_FORMAT, isDefaultClosed = false } = options
    this.#isDefaultClosed = isDefaultClosed
    this.#onError = onError
    this.#redis = redis
    this.#bulk = bulk
    this.#list = new WorldList(WORLDS, bulk, toWorldInfo)
    this.#inputs = new StoredInputs(bulk)
    this.#nonces = randomBytes(6).toString('base64url')
    this.#start = { scenarios: base.scenarios, readSeed, hidden }
    const [createNonce, logOf] = [() => this.#createNonce(), (id: string) => this.#logOf(id)]
    const inputs = this.#inputs
    const context = { redis: bulk, inputs, createNonce, logOf }
    this.#creator = new WorldCreator({ ...options, limits }, context)
    this.#loads = new Loads({ redis, server: this.#nonces, onError })
    this.#watch = new StoreWatch({
      redis,
      loads: this.#loads,
      lookAgain: () => this.#lookAgain(),
      onError,
    })
    const drop = (id: string, list: string): Promise<boolean> => this.#drop(id, list)
    this.partners = new Partners({ redis, bulk, creator: this.#creator, drop })
    this.#replicas = new Replicas(heapLimit, {
      format,
      limits,
      inputs: this.#inputs,
      start: this.#start,
      loads: this.#loads,
      createNonce,
      onError,
      meter,
      logOf,
      isLimited: (id) => id !== this.#home,
    })
  }

  /**
   * Connects to a store, and creates the default world if the store has none. With `hasOwnWorld`, creates a new world
   * instead.
   *
   * @throws OptionError if the store cannot be used, might lose worlds, or has a default world or limits that differ
   * from the options
   */
  static async open(options: StoreBackendOptions): Promise<StoreBackend> {
    const functions = createLogFunctions(options.format)
    const redis = await Redis.open(options.url, functions, { meter: options.meter })
    const opened = [redis]
    try {
      const bulk = await Redis.open(options.url, functions, { isBulk: true })
      opened.push(bulk)
      const { loaded = defaultLoaded(options.heapLimit), ...requested } = options.limits
      const limits = { ...(await agreeOnLimits(redis, requested)), loaded }
      const backend = new StoreBackend(options, { redis, bulk, limits })
      if (options.hasOwnWorld === true) {
        const { id, world, create } = await backend.#creator.prepareIsolated({ idleMs: 0 })
        await create()
        backend.#home = id
        backend.#world = world
      } else {
        const base = await backend.#creator.createDefault(options.explicit)
        // Does not read the log of the default world: a newer release may write to it, in a form unknown here, and this server
        // must still serve other worlds.
        backend.#world = await World.create(base)
      }
      await backend.#watch.begin()
      return backend
    } catch (error) {
      await Promise.all(opened.map((each) => each.close()))
      if (error instanceof StoreError) {
        throw new OptionError(`--store: ${error.forOperator ?? error.message}`)
      }
      throw error instanceof CommandError ? new OptionError(`--store: ${error.message}`) : error
    }
  }

  /** The default world, or the world of `hasOwnWorld`, as it was created; only its log has its current state. */
  get world(): World {
    return this.#world!
  }

  /** Stores the digest of this server's admin key; returns true if the store had the digest of another key. @throws StoreError */
  isOtherAdminKey(key: string): Promise<boolean> {
    return replaceAdminKey(this.#redis, key)
  }

  /** Number of worlds of which this process has a replica, in memory or not. */
  get size(): number {
    return this.#replicas.size
  }

  get isReached(): boolean {
    return this.#redis.isReached
  }

  /** True if the store accepted changes when it was last asked. */
  get takesChanges(): boolean {
    return this.#watch.takesChanges
  }

  /** Returns the ids of worlds that are damaged in the store, as far as this server knows. */
  damaged(): string[] {
    return this.#replicas.damaged()
  }

  /** The largest worlds, when the store is nearly full; otherwise empty. */
  get largestWorlds(): readonly LargeWorld[] {
    return this.#watch.largestWorlds
  }

  /** Problems of the store, for the operator: a sentence for each. */
  problems(): string[] {
    const damaged = this.damaged()
    const others =
      damaged.length > MAXIMUM_NAMED ? ` and ${damaged.length - MAXIMUM_NAMED} more` : ''
    const sentence = `Worlds are damaged, and GET /_sandbox/errors says what to do: ${damaged.slice(0, MAXIMUM_NAMED).join(', ')}${others}.`
    return [...this.#watch.problems(), ...(damaged.length === 0 ? [] : [sentence])]
  }

  answers(): Promise<boolean> {
    return this.#redis.answers()
  }

  /** Responds as the API does, from the world of the request's token. @throws StoreError */
  async answer(request: ApiRequest): Promise<ApiResponse> {
    const bearer = bearerOf(request.header('authorization'))
    const id = this.idOf(request)
    // The key of a world and the code of its link do not open the API, and must not get into a log.
    if (bearer !== undefined && (worldOfKey(bearer) ?? worldOfCode(bearer)) !== undefined)
      return UNAUTHENTICATED
    if (id === DEFAULT_WORLD) {
      return this.#withDefault(async (replica) => {
        const world = this.#isDefaultClosed ? await replica.current() : undefined
        return world?.turnAway(request, this.admits) ?? replica.answer(request)
      })
    }
    const replica = this.#replicas.use(id)
    try {
      if (!replica.creation) await replica.current()
      if (id === this.#home) return await replica.answer(request)
      if (bearer?.endsWith(replica.creation?.token_suffix ?? ' ') === true)
        return await replica.answer(request)
    } catch (error) {
      if (!isGone(error)) throw error
      this.#replicas.forget(id)
    }
    return UNAUTHENTICATED
  }

  holds(id: string): boolean {
    return this.#replicas.find(id)?.world !== undefined
  }

  /** Returns the id of the world that a request's token names, or else that of the default world. The world need not exist. */
  idOf(request: Pick<ApiRequest, 'header'>): string {
    const bearer = bearerOf(request.header('authorization'))
    return (bearer === undefined ? undefined : worldOfToken(bearer)) ?? this.#home
  }

  /** Returns the world of a request's token, with the log entries applied so far; undefined if it is not in memory. */
  worldOf(request: Pick<ApiRequest, 'header'>): World | undefined {
    return this.#replicas.find(this.idOf(request))?.world
  }

  /** Returns a world with all entries of its log. @throws CommandError for an unknown id, StoreError */
  async get(named: string): Promise<World> {
    const id = this.#toId(named)
    if (id === DEFAULT_WORLD) return this.#withDefault((replica) => replica.current())
    try {
      return await this.#replicas.use(id).current()
    } catch (error) {
      if (isGone(error)) this.#replicas.forget(id)
      throw error
    }
  }

  /** Same as `get`, but returns undefined for an unknown id, and for a world that has expired. @throws StoreError */
  async find(id: string): Promise<World | undefined> {
    if ((await this.#logOf(this.#toId(id)).describe())?.isExpired === true) return undefined
    return this.get(id).catch((error: unknown) => {
      if (isGone(error)) return undefined
      throw error
    })
  }

  /**
   * Keeps a world up to date while a client follows it; returns a function that stops the updates. `onEnd` is called
   * when the world in memory is unloaded and, with a key, when the key no longer opens the world or the world has
   * expired.
   */
  follow(id: string, { onEnd, key }: { onEnd: () => void; key?: string | undefined }): () => void {
    const replica = this.#replicas.use(this.#toId(id))
    const stop = replica.watch(onEnd)
    const endUnlessOpen = async (): Promise<void> => {
      const opened = key === undefined ? undefined : await this.partners.worldOf(key)
      if (key !== undefined && opened?.isExpired !== false) onEnd()
    }
    // Errors are ignored, because there is nothing to follow while the store can't be reached.
    const repeat = (call: () => Promise<unknown>, ms: number) =>
      setInterval(() => void call().catch(() => undefined), ms)
    const timers = [repeat(() => replica.current(), FOLLOW_MS), repeat(endUnlessOpen, CHECK_KEY_MS)]
    return () => {
      for (const timer of timers) clearInterval(timer)
      stop()
    }
  }

  /** Returns a page of the isolated worlds, oldest first; all of them without a limit. @throws StoreError */
  page(range?: ListRange): Promise<ListPage<WorldInfo>> {
    return this.#list.page(range)
  }

  /**
   * Creates an isolated world, as `Worlds.create` does without a store.
   *
   * @throws CommandError, StoreError, and the errors of `readSeed`
   */
  async create(settings?: IsolatedWorldSettings): Promise<Pick<CreatedWorld, 'id' | 'tokens'>> {
    const { id, tokens, create } = await this.#creator.prepareIsolated(settings)
    await create()
    return { id, tokens }
  }

  /**
   * Drops an isolated world; its tokens become unknown.
   *
   * @throws CommandError for the default world or an unknown id, StoreError
   */
  async drop(id: string): Promise<void> {
    if (id === DEFAULT_WORLD) {
      const message = 'The default world cannot be dropped. Reset it instead.'
      throw invalidCommand({ path: [], message })
    }
    if (!(await this.#drop(id, WORLDS))) throw worldNotFound(id)
  }

  async #drop(id: string, list: string): Promise<boolean> {
    const isThere = await this.#logOf(id).drop(list)
    this.#replicas.forget(id)
    return isThere
  }

  /**
   * Loads a world, even if loads of it are refused because earlier ones crashed their servers.
   *
   * @throws CommandError for an unknown id, StoreError
   */
  async load(id: string): Promise<void> {
    await this.#loads.allow(id)
    await this.get(id)
  }

  /** Drops the world of `hasOwnWorld`, stores snapshots of the changed worlds for up to `DRAIN_MS`, and disconnects. */
  async close(): Promise<void> {
    const ended = this.#watch.end()
    if (this.isReached) {
      // If this fails, the world is dropped later, like any unused one.
      if (this.#home !== DEFAULT_WORLD)
        await this.#drop(this.#home, WORLDS).catch((error) => this.#onError(error, this.#home))
      await Promise.all([ended, this.#loads.stop(), this.#replicas.drain(DRAIN_MS)])
    }
    await this.#disconnect()
  }

  /**
   * Returns the id of a world in the store. With `hasOwnWorld`, translates the id of the default world to that of the
   * new world.
   */
  #toId(named: string): string {
    return named === DEFAULT_WORLD ? this.#home : named
  }

  /** Uses the default world, and creates it again if it was removed from the store. @throws StoreError */
  async #withDefault<Result>(use: (replica: Replica) => Promise<Result>): Promise<Result> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await use(this.#replicas.use(DEFAULT_WORLD))
      } catch (error) {
        if (!isGone(error)) throw error
        this.#replicas.forget(DEFAULT_WORLD)
        if (attempts === MAXIMUM_ATTEMPTS) throw new StoreError('world_unavailable', REMOVED)
        await this.#creator.createDefault()
      }
    }
  }

  /**
   * Loads the first damaged world, which may have been restored or dropped since. @throws StoreError if it is still
   * damaged
   */
  async #lookAgain(): Promise<void> {
    const [id] = this.damaged()
    if (id !== undefined)
      await this.get(id).catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
  }

  #logOf(id: string): WorldLog {
    return new WorldLog(id, { redis: this.#redis, bulk: this.#bulk })
  }

  #createNonce(): string {
    this.#lastNonce += 1
    return `${this.#nonces}${this.#lastNonce.toString(36)}`
  }

  async #disconnect(): Promise<void> {
    await Promise.all([this.#redis.close(), this.#bulk.close()])
  }
}

function toWorldInfo(listed: ListedWorld): WorldInfo {
  const { id, createdMs, usedMs, requests, bytes, maximumBytes, damaged, partner } = listed
  return {
    id,
    created_at: toDateTime(createdMs),
    last_used_at: toDateTime(usedMs),
    requests,
    bytes,
    maximum_bytes: maximumBytes,
    ...(partner.name !== '' && { partner: partner.name }),
    ...(damaged !== undefined && { damaged }),
  }
}
