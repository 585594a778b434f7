import { clearInterval, setInterval } from '../contract/timers.ts'
import type { Loads } from './loads.ts'
import type { Redis } from './redis.ts'
import { StoreError } from './store-error.ts'
import { findLargest, sweep } from './sweep.ts'
import type { LargeWorld } from './sweep.ts'
import { FULL_SHARE } from './text-functions.ts'

/** How often a server shows that it runs: a few of these may be lost. */
const BEAT_MS = 3000

const MAKE_ROOM = 'raise its maxmemory, or drop worlds'

/** For how many beats the largest worlds are those that they were. */
const LARGEST_BEATS = 20

/** What to do where the store takes no changes, by the first word of its reply. */
const REMEDIES: Record<string, string> = {
  OOM: MAKE_ROOM,
  READONLY: 'make it the master, or start the servers with the address of its master',
}
const REMEDY = 'do what its reply asks for'

const NEARLY_FULL = `More than ${FULL_SHARE * 100} % of the memory of the store is in use, so that it takes only requests and what deletes: ${MAKE_ROOM}.`

const UNREACHED = 'The store is not reached: start it, or find out what keeps this server from it.'

interface WatchOptions {
  redis: Redis
  loads: Loads
  /** Looks whether what was damaged is whole now. @throws StoreError where it is not */
  lookAgain: () => Promise<void>
  /** Tells the operator of an error that no client is to blame for. */
  onError: (error: unknown) => void
}

/** What a server does every few seconds as long as it runs: it shows that it does, looks at the state of the store, and sweeps it. */
export class StoreWatch {
  readonly #options: WatchOptions
  #timer: NodeJS.Timeout | undefined
  #refusal: StoreError | undefined
  #risk: string | undefined
  #beats = 0
  /** Settles when what goes on beside the beats is done; undefined where that is so. */
  #tidying: Promise<void> | undefined
  #largest: readonly LargeWorld[] | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Resolves when the store knows that the server runs, where it is reached. */
  async begin(): Promise<void> {
    await this.#beat()
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS).unref()
  }

  /** Resolves when nothing of it is under way. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#tidying
  }

  /** Whether the store took changes when it was last asked. */
  get takesChanges(): boolean {
    return this.#refusal === undefined
  }

  /** The worlds that take most of a store that is nearly full; none where it is not. */
  get largestWorlds(): readonly LargeWorld[] {
    return this.#largest ?? []
  }

  /** What is wrong with the store, as it was a few seconds ago, each in a sentence. */
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
    await this.#tell(async () => {
      this.#refusal = await loads.beat()
      const { risk, usedShare } = await redis.state()
      this.#risk = risk
      // Of many worlds it takes longer than a beat.
      this.#tidying ??= this.#tidy(usedShare > FULL_SHARE).finally(() => {
        this.#tidying = undefined
      })
    })
  }

  #tidy(isNearlyFull: boolean): Promise<void> {
    const { redis, lookAgain } = this.#options
    return this.#tell(async () => {
      await this.#findLargest(isNearlyFull)
      await sweep(redis)
      await lookAgain()
    })
  }

  /** Whether the store is reached, the connection knows; what a world lacks, its replica. Of other errors the operator is told. */
  async #tell(work: () => Promise<void>): Promise<void> {
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
