import { createClient, ErrorReply, RESP_TYPES } from 'redis'
import { setTimeout, clearTimeout } from '../contract/timers.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { LogFunctionName, LogFunctions } from './log-functions.ts'
import { REFUSED, StoreError, toRefusal, UNREACHED } from './store-error.ts'

/** Maximum time of a command, including repetitions. A command on a connection for large values may take longer. */
const CALL_MS = 2000

/** Maximum silence of a connection for large values. A reply may take any time while its bytes keep arriving. */
const MAXIMUM_SILENCE_MS = 1500

/**
 * Interval of the pings on a connection for large values. The loss of an idle connection is noticed within `PING_MS`
 * plus `MAXIMUM_SILENCE_MS`, which is `CALL_MS`.
 */
const PING_MS = 500

/** Maximum time that a starting server waits for Redis. */
const START_MS = 5000

/** Maximum time that `close` waits for replies that are under way. */
const CLOSE_MS = 500

/** The first release of Redis with functions. */
const MINIMUM_VERSION = 7

/** Error replies to commands that were refused and had no effect. */
const REFUSALS =
  /^(?:OOM|READONLY|MISCONF|LOADING|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|BUSY|NOPERM|NOAUTH)\b/

type Client = ReturnType<typeof connect>

interface OpenOptions {
  /** True for a connection for large values, so that other calls need not wait for them. */
  isBulk?: boolean
  meter?: StoreMeter | undefined
}

export interface CallOptions {
  /** True to return the strings in a reply as Buffers. */
  asBytes?: boolean
  /** Called before the command is sent again because its reply was lost. */
  onRepeat?: () => void
}

/** A connection to Redis or Valkey. `send` repeats commands whose reply was lost; the client library repeats none. */
export class Redis {
  readonly #url: string
  readonly #functions: LogFunctions
  readonly #meter: StoreMeter | undefined
  readonly #isBulk: boolean
  #client: Client
  #connectedMs = performance.now()
  #lastError: unknown
  #isAnswering = true
  #isClosed = false

  private constructor(
    url: string,
    functions: LogFunctions,
    { isBulk = false, meter }: OpenOptions = {},
  ) {
    this.#url = url
    this.#isBulk = isBulk
    this.#meter = meter
    this.#functions = functions
    this.#client = this.#createClient()
  }

  /** @throws OptionError if Redis cannot be used, is too old, or is configured so that worlds might be lost */
  static async open(url: string, functions: LogFunctions, options?: OpenOptions): Promise<Redis> {
    const redis = new Redis(url, functions, options)
    try {
      // The client library keeps trying to connect, because Redis may be starting too.
      await within(START_MS, redis.#client.connect())
      await requireSafe(redis.#client)
      await redis.#loadFunctions()
    } catch (error) {
      destroy(redis.#client)
      throw error instanceof OptionError ? error : unusable(url, redis.#lastError ?? error)
    }
    return redis
  }

  /** True while there is a connection, unless the last call got no reply. */
  get isReached(): boolean {
    return this.#client.isReady && this.#isAnswering
  }

  /**
   * Calls a function of this package in Redis, and loads the functions first if they are missing. May send the call
   * several times, so every function must be idempotent.
   *
   * @throws the errors of `send`
   */
  async call(
    name: LogFunctionName,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
    options?: CallOptions,
  ): Promise<unknown[]> {
    const { nameOf, isReadOnly } = this.#functions
    const command = isReadOnly(name) ? 'FCALL_RO' : 'FCALL'
    const sent = [command, nameOf(name), String(keys.length), ...keys, ...args]
    try {
      return (await this.send(sent, options)) as unknown[]
    } catch (error) {
      if (!isMissingFunction(error)) throw error
      await this.#loadFunctions()
      return (await this.send(sent, options)) as unknown[]
    }
  }

  /**
   * Sends a command. Repeats it if the connection breaks before the reply, so the command must be idempotent.
   *
   * @throws StoreError if the command was refused, or if no reply arrived in time; in the latter case, it may have been
   * carried out. Other error replies are thrown unchanged.
   */
  async send(
    args: readonly (string | Buffer)[],
    { asBytes = false, onRepeat }: CallOptions = {},
  ): Promise<unknown> {
    const begunMs = performance.now()
    const endMs = begunMs + CALL_MS
    let isSent = false
    for (;;) {
      const leftMs = endMs - performance.now()
      if (!this.#client.isReady && !(await this.#isReadyWithin(leftMs))) throw this.#lost(isSent)
      if (isSent) onRepeat?.()
      isSent = true
      try {
        const work = this.#client.sendCommand([...args], asBytes ? AS_BYTES : AS_TEXT)
        const reply = await (this.#isBulk ? work : within(endMs - performance.now(), work))
        this.#isAnswering = true
        this.#meter?.replied(performance.now() - begunMs)
        return reply
      } catch (error) {
        if (error instanceof ErrorReply) {
          this.#isAnswering = true
          throw toStoreError(error)
        }
        if (performance.now() >= endMs) throw this.#lost(isSent, error)
      }
    }
  }

  /**
   * Returns the reason why Redis may lose worlds (undefined if it cannot), and the fraction of its memory in use (0 if
   * it has no limit).
   *
   * @throws StoreError
   */
  async state(): Promise<{ risk: string | undefined; usedShare: number }> {
    const information = (await this.send(['INFO', 'memory'])) as string
    const used = Number(valueIn(information, 'used_memory'))
    const maximum = Number(valueIn(information, 'maxmemory') ?? 0)
    return { risk: riskOf(information), usedShare: maximum === 0 ? 0 : used / maximum }
  }

  /** Returns the time by the clock of Redis, in epoch milliseconds. */
  async now(): Promise<number> {
    const [seconds, micros] = (await this.send(['TIME'])) as [string, string]
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
  }

  async answers(): Promise<boolean> {
    return this.send(['PING']).then(
      () => true,
      () => false,
    )
  }

  /**
   * Closes the connection after calls under way have finished. Destroys it if they take longer than `CLOSE_MS`, or if
   * it is not ready.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client
    if (!client.isReady) return destroy(client)
    await within(CLOSE_MS, client.close()).catch(() => destroy(client))
  }

  #createClient(): Client {
    const client = connect(this.#url, this.#isBulk)
    // Without a limit, because each call that waits for the connection adds a listener.
    client.setMaxListeners(0)
    client.on('error', (error: unknown) => (this.#lastError = error))
    return client
  }

  #lost(isSent: boolean, cause?: unknown): StoreError {
    this.#isAnswering = false
    this.#replaceConnection()
    return new StoreError(isSent ? 'fate_unknown' : 'store_unavailable', UNREACHED, { cause })
  }

  /**
   * Replaces the connection, unless it is newer than `CALL_MS`. A connection to a machine that has disappeared may be
   * silent for minutes before it breaks.
   */
  #replaceConnection(): void {
    if (this.#isClosed || performance.now() - this.#connectedMs < CALL_MS) return
    this.#connectedMs = performance.now()
    destroy(this.#client)
    this.#client = this.#createClient()
    this.#client.connect().catch(() => undefined)
  }

  #isReadyWithin(ms: number): Promise<boolean> {
    const client = this.#client
    return new Promise((resolve) => {
      const settle = (isReady: boolean): void => {
        clearTimeout(timer)
        client.off('ready', onReady)
        resolve(isReady)
      }
      const onReady = (): void => settle(true)
      const timer = setTimeout(() => settle(false), ms)
      client.once('ready', onReady)
    })
  }

  async #loadFunctions(): Promise<void> {
    // A read-only replica of Redis refuses this, but has the functions of its master.
    await this.send(['FUNCTION', 'LOAD', 'REPLACE', this.#functions.code]).catch(toRefusal)
  }
}

// The timeout of the client library covers only the time before a command is sent, so `within` is used instead.
const AS_TEXT = { timeout: 0 }
const AS_BYTES = { ...AS_TEXT, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }

function connect(url: string, isBulk: boolean) {
  return createClient({
    url,
    ...(isBulk && { pingInterval: PING_MS }),
    // Without a connection, rejects commands instead of queueing them: `Redis.send` repeats them within its own time limit.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CALL_MS,
      ...(isBulk && { socketTimeout: MAXIMUM_SILENCE_MS }),
      reconnectStrategy: (attempts) => Math.min(20 * 2 ** Math.min(attempts, 6), 500),
    },
  })
}

/**
 * Destroys a client. A socket that is still connecting survives the client's own method, and is destroyed after it has
 * connected.
 */
function destroy(client: Client): void {
  client.destroy()
  client.once('connect', () => client.destroy())
}

/** Returns the result of `work`; rejects if it takes longer than `ms` milliseconds. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No reply in time.')), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function isMissingFunction(error: unknown): boolean {
  return error instanceof ErrorReply && /function not found/i.test(error.message)
}

function toStoreError(error: ErrorReply): Error {
  if (!REFUSALS.test(error.message)) return error
  return new StoreError('store_refused', REFUSED, { cause: error })
}

/** @throws OptionError if this Redis is too old, or might lose worlds */
async function requireSafe(client: Client): Promise<void> {
  const information = await client.sendCommand<string>(['INFO', 'everything'])
  const version = valueIn(information, 'redis_version') ?? '0'
  if (Number.parseInt(version, 10) < MINIMUM_VERSION) {
    throw new OptionError(
      `--store: Redis ${version} has no functions. Use Redis ${MINIMUM_VERSION} or newer, or Valkey.`,
    )
  }
  const risk = riskOf(information)
  if (risk !== undefined) throw new OptionError(`--store: ${risk}`)
}

function riskOf(information: string): string | undefined {
  const policy = valueIn(information, 'maxmemory_policy') ?? 'noeviction'
  if (policy === 'noeviction') return undefined
  return `This Redis forgets keys when its memory is full (maxmemory-policy ${policy}), and worlds with them. Set maxmemory-policy to noeviction.`
}

/** Returns a value in a reply to INFO; undefined if it is absent. */
function valueIn(information: string, name: string): string | undefined {
  return new RegExp(String.raw`^${name}:([^\r\n]*)`, 'm').exec(information)?.[1]
}

function unusable(url: string, error: unknown): OptionError {
  const { host } = new URL(url)
  const reason = error instanceof Error && error.message !== '' ? ` (${error.message})` : ''
  return new OptionError(
    `--store: There is no Redis or Valkey to use at ${host}${reason}. Start it, or correct the address, its password and its user.`,
  )
}

/** Callbacks with which a store reports metrics. */
export interface StoreMeter {
  /** Called after each reply with the duration of the command, in milliseconds. */
  replied: (ms: number) => void
  /**
   * Called after each call or load with the number of entries applied. Of these, `ofOthers` were in the log already,
   * mostly from other servers: they are the lag of this server.
   */
  applied: (entries: number, ofOthers: number) => void
}
