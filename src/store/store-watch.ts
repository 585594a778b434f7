import { clearInterval, setInterval } from '../contract/timers.ts'
import type { Loads } from './loads.ts'
import { StoreError } from './store-error.ts'

/** How often a server shows that it runs: a few of these may be lost. */
const BEAT_MS = 3000

interface WatchOptions {
  loads: Loads
  /** Tells the operator of an error that no client is to blame for. */
  onError: (error: unknown) => void
}

/** What a server does every few seconds as long as it runs: it shows that it does, and looks at the store. */
export class StoreWatch {
  readonly #options: WatchOptions
  #timer: NodeJS.Timeout | undefined

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

  async #beat(): Promise<void> {
    const { loads, onError } = this.#options
    try {
      await loads.beat()
    } catch (error) {
      // Whether the store is reached, the connection knows.
      if (!(error instanceof StoreError)) onError(error)
    }
  }
}
