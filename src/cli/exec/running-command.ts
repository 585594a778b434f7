import type { ChildProcess } from 'node:child_process'
import { GRACE_MS, signalCommand } from './processes.ts'
import type { Run } from './processes.ts'

/** How a command ended. */
export interface Exit {
  /** Its exit code; null where a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
}

/** A running command. */
export class RunningCommand {
  readonly ended: Promise<Exit>
  /** Whether it was killed, because a SIGTERM had not ended it. */
  isKilled = false
  hasEnded = false

  readonly #run: Run
  #deadline: NodeJS.Timeout | undefined
  #giveUp: () => void = () => {}

  constructor(child: ChildProcess, run: Run) {
    this.#run = run
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
      this.#giveUp = () => {
        child.unref()
        resolve({ code: null, signal: 'SIGKILL' })
      }
    })
    this.ended = exited.finally(() => {
      this.hasEnded = true
      clearTimeout(this.#deadline)
    })
  }

  /** Sends it a signal. After a SIGTERM it is killed if it does not end. */
  signal(signal: NodeJS.Signals): void {
    if (this.hasEnded) return
    signalCommand(this.#run, signal)
    if (signal === 'SIGTERM') this.#deadline ??= setTimeout(() => this.#kill(), GRACE_MS)
  }

  #kill(): void {
    this.isKilled = true
    signalCommand(this.#run, 'SIGKILL')
    // It does not end a process of another user, or one that waits for a device.
    this.#deadline = setTimeout(this.#giveUp, GRACE_MS)
  }
}
