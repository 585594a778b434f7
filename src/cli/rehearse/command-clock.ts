import { toDateTime } from '../../contract/moments.ts'
import type { Step } from '../../rehearsal/plan.ts'
import { machineNow, shiftMachineClock } from '../../sandbox/machine-clock.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { REHEARSAL_VARIABLES } from '../exec/variables.ts'
import type { FakedClock } from './faked-clock.ts'
import type { ClientClockName } from './options.ts'

/** The clock of a command, and the clocks of the world in step with it. */
export interface CommandClock {
  /** Whether it moves by as much as the plan says, so that the rate clock can go with it. */
  isFaked: boolean
  /** Has the world begin at a time, in epoch milliseconds. */
  begin: (startMs: number) => Promise<void>
  moveTo: (step: Pick<Step, 'atMs' | 'isRunning'>) => Promise<void>
  /** The variables of the command for a run. */
  environment: () => NodeJS.ProcessEnv
}

/** The clock of a command, which `faked` moves; without it nothing does. */
export function createCommandClock(
  name: ClientClockName,
  { sandbox, faked }: { sandbox: Sandbox; faked: FakedClock | undefined },
): CommandClock {
  return faked ? new Faked(sandbox, faked) : new Real(sandbox, name === 'env')
}

/**
 * The machine's clock: only the world clock moves between runs. The rate clock stays, or a client that sleeps until
 * `X-RateLimit-Reset` would sleep for months (trap T21).
 */
class Real implements CommandClock {
  readonly isFaked = false
  readonly #sandbox: Sandbox
  readonly #isRead: boolean
  #atMs = 0

  constructor(sandbox: Sandbox, isRead: boolean) {
    this.#sandbox = sandbox
    this.#isRead = isRead
  }

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

  environment(): NodeJS.ProcessEnv {
    return this.#isRead ? { [REHEARSAL_VARIABLES.now]: toDateTime(this.#atMs) } : {}
  }
}

/** Client, world clock and rate clock show the same, as far from the machine's as the plan says, and all of them run. */
class Faked implements CommandClock {
  readonly isFaked = true
  readonly #sandbox: Sandbox
  readonly #faked: FakedClock

  constructor(sandbox: Sandbox, faked: FakedClock) {
    this.#sandbox = sandbox
    this.#faked = faked
  }

  async begin(startMs: number): Promise<void> {
    shiftMachineClock(startMs - Date.now())
    await this.#sandbox.reset()
  }

  async moveTo({ atMs }: Pick<Step, 'atMs'>): Promise<void> {
    // The last run may have ended after this one should have begun.
    shiftMachineClock(Math.max(atMs, machineNow()) - Date.now())
    await this.#sandbox.world.moveClock([
      { type: 'clock.set', now: toDateTime(machineNow()) },
      { type: 'clock.freeze', frozen: false },
    ])
  }

  environment(): NodeJS.ProcessEnv {
    const nowMs = machineNow()
    return { [REHEARSAL_VARIABLES.now]: toDateTime(nowMs), ...this.#faked.environmentAt(nowMs) }
  }
}
