import { clearInterval, setInterval } from '../contract/timers.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { Loads } from './loaded-worlds.ts'
import type { Redis } from './redis.ts'
import { StoreError } from './store-error.ts'
import { WORLDS } from './store-keys.ts'
import { FULL_SHARE } from './text-functions.ts'

/** Interval between two beats of a server. The key of the server in the store survives the loss of two beats. */
const BEAT_MS = 3000

const MAKE_ROOM = 'raise its maxmemory, or drop worlds'

/** Number of beats between two look-ups of the largest worlds. */
const LARGEST_BEATS = 20

/** Remedies for a store that accepts no changes, by the first word of its error reply. */
const REMEDIES: Record<string, string> = {
  OOM: MAKE_ROOM,
  READONLY: 'make it the master, or start the servers with the address of its master',
}
const REMEDY = 'do what its reply asks for'

const NEARLY_FULL = `More than ${FULL_SHARE * 100}% of the memory of the store is in use, so that it only takes requests to the API and changes that delete something: ${MAKE_ROOM}.`

const UNREACHED =
  'The store cannot be reached: start it, or find out what keeps this server from it.'

interface WatchOptions {
  redis: Redis
  loads: Loads
  /** Loads a damaged world, which may have been restored since. @throws StoreError if it is still damaged */
  lookAgain: () => Promise<void>
  /** Tells the operator about an error that no client caused. */
  onError: (error: unknown) => void
}

/** The periodic work of a running server: reporting that it runs, checking the store, and sweeping it. */
export class StoreWatch {
  readonly #options: WatchOptions
  #timer: NodeJS.Timeout | undefined
  #refusal: StoreError | undefined
  #risk: string | undefined
  #beats = 0
  /** Settles when the background work of the beats is done; undefined while there is none. */
  #tidying: Promise<void> | undefined
  #largest: readonly LargeWorld[] | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Starts the beats; resolves after the first one, even if the store cannot be reached. */
  async begin(): Promise<void> {
    await this.#beat()
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS).unref()
  }

  /** Stops the beats; resolves when no background work is left. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#tidying
  }

  /** True if the store accepted changes when it was last asked. */
  get takesChanges(): boolean {
    return this.#refusal === undefined
  }

  /** The largest worlds, when the store is nearly full; otherwise empty. */
  get largestWorlds(): readonly LargeWorld[] {
    return this.#largest ?? []
  }

  /** Problems of the store at the last beat, one sentence each. */
  problems(): string[] {
    if (!this.#options.redis.isReached) return [UNREACHED]
    const refused = this.#refusal && toSentence(this.#refusal)
    const full = this.#largest && NEARLY_FULL
    const problem = (refused ?? full)?.replace(
      MAKE_ROOM,
      `${MAKE_ROOM}${listOf(this.largestWorlds)}`,
    )
    return [problem, this.#risk].filter((each) => each !== undefined)
  }

  async #beat(): Promise<void> {
    const { loads, redis } = this.#options
    await this.#reportErrors(async () => {
      this.#refusal = await loads.beat()
      const { risk, usedShare } = await redis.state()
      this.#risk = risk
      // Not awaited, because this work takes longer than a beat if there are many worlds.
      this.#tidying ??= this.#tidy(usedShare > FULL_SHARE).finally(() => {
        this.#tidying = undefined
      })
    })
  }

  #tidy(isNearlyFull: boolean): Promise<void> {
    const { redis, lookAgain } = this.#options
    return this.#reportErrors(async () => {
      await this.#findLargest(isNearlyFull)
      await sweep(redis)
      await lookAgain()
    })
  }

  /** Runs `work`, and reports any error except a StoreError, which `Redis.isReached` or a replica already shows. */
  async #reportErrors(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof StoreError)) this.#options.onError(error)
    }
  }

  async #findLargest(isNearlyFull: boolean): Promise<void> {
    this.#beats += 1
    if (!isNearlyFull) this.#largest = undefined
    else if (!this.#largest || this.#beats % LARGEST_BEATS === 0)
      this.#largest = await findLargest(this.#options.redis)
  }
}

function listOf(worlds: readonly LargeWorld[]): string {
  if (worlds.length === 0) return ''
  const each = worlds.map(({ id, bytes }) => `${id} (${(bytes / 1_000_000).toFixed(1)} MB)`)
  return `, of which the largest are ${each.join(', ')}`
}

function toSentence({ cause }: StoreError): string {
  const reply = cause instanceof Error ? cause.message : ''
  const [word = ''] = reply.split(' ', 1)
  return `The store takes no changes (${reply}): ${REMEDIES[word] ?? REMEDY}.`
}

const WORLDS_PER_CALL = 200

const MAXIMUM_LARGEST = 5

export interface LargeWorld {
  id: string
  bytes: number
}

/**
 * Removes the remains of worlds that Redis has dropped, and texts whose entries were never appended. Does nothing if a
 * server of the store began to do so within the last minute. @throws StoreError
 */
async function sweep(redis: Redis): Promise<void> {
  const [status, worlds] = await redis.call('begin_sweep', [], [])
  if (status !== 'ok') return
  for (const some of inGroups(worlds as string[])) await redis.call('sweep', [], some)
}

/** Returns the `MAXIMUM_LARGEST` largest worlds of a store, by descending size. @throws StoreError */
async function findLargest(redis: Redis): Promise<LargeWorld[]> {
  const isolated = (await redis.send(['ZRANGE', WORLDS, '0', '-1'])) as string[]
  const sizes: LargeWorld[] = []
  for (const some of inGroups([DEFAULT_WORLD, ...isolated])) {
    const bytes = await redis.call('sizes', [], some)
    sizes.push(...some.map((id, at) => ({ id, bytes: Number(bytes[at]) })))
  }
  return sizes.toSorted((one, other) => other.bytes - one.bytes).slice(0, MAXIMUM_LARGEST)
}

/** Splits ids into batches, so that other calls do not wait long. */
function* inGroups(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += WORLDS_PER_CALL) yield ids.slice(at, at + WORLDS_PER_CALL)
}
