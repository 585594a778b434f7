import { toDateTime } from '../contract/time.ts'
import type { HostError } from '../world/host-error.ts'

const MAXIMUM = 50

/** The last errors of a server. An error that recurs in the same world is counted instead of listed again. */
export class LastErrors {
  readonly #errors = new Map<string, HostError>()

  add(message: string, world: string | null = null): void {
    // An unexpected error has its stack on the lines below.
    const [sentence = ''] = message.split('\n', 1)
    const key = `${world} ${sentence}`
    const times = (this.#errors.get(key)?.times ?? 0) + 1
    this.#errors.delete(key)
    this.#errors.set(key, { at: toDateTime(Date.now()), world, message: sentence, times })
    const [oldest] = this.#errors.keys()
    if (oldest !== undefined && this.#errors.size > MAXIMUM) this.#errors.delete(oldest)
  }

  /** The newest first. */
  list(): HostError[] {
    return [...this.#errors.values()].toReversed()
  }
}
