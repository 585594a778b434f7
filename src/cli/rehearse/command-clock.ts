import { toDateTime } from '../../contract/moments.ts'
import type { Step } from '../../rehearsal/plan.ts'
import { shiftMachineClock } from '../../sandbox/machine-clock.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { REHEARSAL_VARIABLES } from '../exec/variables.ts'

interface ClockOptions {
  sandbox: Sandbox
  /** True for a command that reads the time of a run from a variable. */
  isRead: boolean
}

/**
 * The clocks of the world while a command runs on the machine's clock: only the world clock moves between runs. The rate clock
 * stays, or a client that sleeps until `X-RateLimit-Reset` would sleep for months (trap T21).
 */
export class CommandClock {
  readonly #sandbox: Sandbox
  readonly #isRead: boolean
  #atMs = 0

  constructor({ sandbox, isRead }: ClockOptions) {
    this.#sandbox = sandbox
    this.#isRead = isRead
  }

  /** Starts the world at a time, in epoch milliseconds. */
  async begin(startMs: number): Promise<void> {
    // Relative dates of records are resolved when they are loaded.
    shiftMachineClock(startMs - Date.now())
    try {
      await this.#sandbox.reset()
    } finally {
      shiftMachineClock(0)
    }
    await this.moveTo({ atMs: startMs, isRunning: false })
  }

  async moveTo({ atMs, isRunning }: Pick<Step, 'atMs' | 'isRunning'>): Promise<void> {
    this.#atMs = atMs
    await this.#sandbox.world.moveClock([
      { type: 'clock.set', now: toDateTime(atMs) },
      { type: 'clock.freeze', frozen: !isRunning },
    ])
    await this.#sandbox.command({ type: 'rate.clear' })
  }

  /** The variables of the command for a run. */
  environment(): NodeJS.ProcessEnv {
    return this.#isRead ? { [REHEARSAL_VARIABLES.now]: toDateTime(this.#atMs) } : {}
  }
}
