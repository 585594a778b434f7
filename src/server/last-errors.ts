import { toDateTime } from '../contract/moments.ts'
import type { HostError } from '../world/host-error.ts'

const MAXIMUM = 50

/** What went wrong last on a server. What happens again is counted, so that a flood of it hides nothing else. */
export class LastErrors {
  readonly #errors = new Map<string, HostError>()

  add(message: string, world: string | null = null): void {
    const key = `${world} ${message}`
    const times = (this.#errors.get(key)?.times ?? 0) + 1
    this.#errors.delete(key)
    this.#errors.set(key, { at: toDateTime(Date.now()), world, message, times })
    const [oldest] = this.#errors.keys()
    if (oldest !== undefined && this.#errors.size > MAXIMUM) this.#errors.delete(oldest)
  }

  /** The newest first. */
  list(): HostError[] {
    return [...this.#errors.values()].toReversed()
  }
}
