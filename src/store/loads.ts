import { BEAT_SECONDS, SERVER } from './load-functions.ts'
import type { Redis } from './redis.ts'
import { ENDED_SERVERS, StoreError, toRefusal } from './store-error.ts'
import { keysOf } from './store-keys.ts'

interface LoadsOptions {
  redis: Redis
  /** An id that no other server has. */
  server: string
  /** Tells the operator about an error that no client caused. */
  onError: (error: unknown) => void
}

interface NotedLoad {
  /** The command that notes its end. */
  end: string[]
  isOver: boolean
}

/** The loads of a server, noted in the store while they are under way, so that no world can crash all servers one by one. */
export class Loads {
  readonly #options: LoadsOptions
  readonly #key: string
  readonly #noted = new Map<string, NotedLoad>()
  #last = 0

  constructor(options: LoadsOptions) {
    this.#options = options
    this.#key = SERVER + options.server
  }

  /** Does the work that loads a world. @throws StoreError where it has ended too many servers, and what `work` throws */
  async note<Result>(world: string, work: () => Promise<Result>): Promise<Result> {
    const [key = ''] = keysOf(world, ['loads'])
    const load = `${this.#options.server}:${(this.#last += 1)}`
    const noted: NotedLoad = { end: ['HDEL', key, load], isOver: false }
    this.#noted.set(load, noted)
    try {
      // A store that takes no changes can be read all the same.
      if (!(await this.#begin(world, { key, load }))) this.#noted.delete(load)
      const result = await work()
      // This load succeeded, so the servers of earlier ones ended for other reasons.
      noted.end = ['UNLINK', key]
      return result
    } finally {
      noted.isOver = true
      void this.#noteEnd(load)
    }
  }

  /** Lets a world that ended too many servers be loaded once more. @throws StoreError */
  async allow(world: string): Promise<void> {
    await this.#options.redis.call('allow_load', keysOf(world, ['loads']), [])
  }

  /**
   * Shows that the server runs, and notes what the store did not take before. Returns the reason where the store takes no
   * changes. @throws StoreError where it is not reached
   */
  async beat(): Promise<StoreError | undefined> {
    const { redis } = this.#options
    const refusal = await redis
      .send(['SET', this.#key, '1', 'EX', String(BEAT_SECONDS)])
      .then(() => undefined, toRefusal)
    if (refusal) await redis.call('beat', [this.#key], []).catch(toRefusal)
    const over = [...this.#noted].filter(([, { isOver }]) => isOver)
    await Promise.all(over.map(([load]) => this.#noteEnd(load)))
    return refusal
  }

  /** Notes that the server stops on purpose, and not because of a load. */
  async stop(): Promise<void> {
    await Promise.all([...this.#noted.keys()].map((load) => this.#noteEnd(load)))
  }

  /** Returns whether the store has noted the load. */
  async #begin(world: string, { key, load }: { key: string; load: string }): Promise<boolean> {
    const { redis, server } = this.#options
    const reply = await redis.call('begin_load', [key, this.#key], [load, server]).catch(toRefusal)
    if (reply instanceof StoreError) return false
    const [status, ended] = reply
    if (status === 'ok') return true
    throw new StoreError('world_unavailable', ENDED_SERVERS, {
      forOperator: `The world ${world} is left alone, because ${String(ended)} servers ended while they loaded it: see their logs, and POST /_sandbox/worlds/${world}/load has it tried again.`,
    })
  }

  async #noteEnd(load: string): Promise<void> {
    const end = this.#noted.get(load)?.end
    if (!end) return
    try {
      await this.#options.redis.send(end)
      this.#noted.delete(load)
    } catch (error) {
      // The next beat notes it.
      if (!(error instanceof StoreError)) this.#options.onError(error)
    }
  }
}
