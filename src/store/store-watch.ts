import { clearInterval, setInterval } from '../contract/timers.ts'
import type { Loads } from './loads.ts'
import type { Redis } from './redis.ts'
import { StoreError } from './store-error.ts'

/** How often a server shows that it runs: a few of these may be lost. */
const BEAT_MS = 3000

/** What to do where the store takes no changes, by the first word of its reply. */
const REMEDIES: Record<string, string> = {
  OOM: 'raise its maxmemory, or drop worlds',
  READONLY: 'make it the master, or start the servers with the address of its master',
}
const REMEDY = 'do what its reply asks for'

const UNREACHED = 'The store is not reached: start it, or find out what keeps this server from it.'

interface WatchOptions {
  redis: Redis
  loads: Loads
  /** Looks whether what was damaged is whole now. @throws StoreError where it is not */
  lookAgain: () => Promise<void>
  /** Tells the operator of an error that no client is to blame for. */
  onError: (error: unknown) => void
}

/** What a server does every few seconds as long as it runs: it shows that it does, and looks at the state of the store. */
export class StoreWatch {
  readonly #options: WatchOptions
  #timer: NodeJS.Timeout | undefined
  #refusal: StoreError | undefined
  #risk: string | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Resolves when the store knows that the server runs, where it is reached. */
  async begin(): Promise<void> {
    await this.#beat()
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS).unref()
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** Whether the store took changes when it was last asked. */
  get takesChanges(): boolean {
    return this.#refusal === undefined
  }

  /** What is wrong with the store, as it was a few seconds ago, each in a sentence. */
  problems(): string[] {
    if (!this.#options.redis.isReached) return [UNREACHED]
    const refused = this.#refusal && toSentence(this.#refusal)
    return [refused, this.#risk].filter((each) => each !== undefined)
  }

  async #beat(): Promise<void> {
    const { loads, redis, lookAgain, onError } = this.#options
    try {
      this.#refusal = await loads.beat()
      this.#risk = await redis.risk()
      await lookAgain()
    } catch (error) {
      // Whether the store is reached, the connection knows; what a world lacks, its replica.
      if (!(error instanceof StoreError)) onError(error)
    }
  }
}

function toSentence({ cause }: StoreError): string {
  const reply = cause instanceof Error ? cause.message : ''
  const [word = ''] = reply.split(' ', 1)
  return `The store takes no changes (${reply}): ${REMEDIES[word] ?? REMEDY}.`
}
