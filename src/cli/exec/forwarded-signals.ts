import { SAME_SIGNAL_MS } from '../stopping.ts'
import { toSignalCode } from './exit-codes.ts'
import type { RunningCommand } from './running-command.ts'

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

interface ForwardOptions {
  /** Whether the terminal sends Ctrl-C to the command as well. */
  isShared?: boolean
  /** Whether other commands follow, so that the first signal stops in order, and a second one kills. */
  goesOn?: boolean
}

/** The signals that this process receives, and passes on to the command that it runs. */
export class ForwardedSignals {
  readonly received = new Set<NodeJS.Signals>()
  readonly #options: ForwardOptions
  #command: RunningCommand | undefined
  #killAll: () => void = () => {}
  #receivedMs = -Infinity

  constructor(options: ForwardOptions) {
    this.#options = options
    for (const signal of FORWARDED) {
      // A command that ran before may have left its listeners.
      process.removeAllListeners(signal)
      process.on(signal, () => this.#receive(signal))
    }
  }

  /** From now on this command gets them. `killAll` ends it with all that it has started, at once. */
  passTo(command: RunningCommand, killAll: () => void): void {
    this.#command = command
    this.#killAll = killAll
  }

  #receive(signal: NodeJS.Signals): void {
    const isSame = performance.now() - this.#receivedMs < SAME_SIGNAL_MS
    const isRunning = this.#command?.hasEnded === false
    const isLast = this.#options.goesOn ? this.received.size > 0 : this.#command?.hasEnded === true
    if (isLast && !isSame) {
      this.#killAll()
      if (isRunning) return
      process.removeAllListeners(signal)
      // On Windows a process cannot send itself every signal that it may receive.
      if (process.platform === 'win32') process.exit(toSignalCode(signal))
      process.kill(process.pid, signal)
    }
    this.received.add(signal)
    if (!isSame) this.#receivedMs = performance.now()
    // Ctrl-C has reached every program in the foreground of the terminal.
    if (signal !== 'SIGINT' || !this.#options.isShared) this.#command?.signal(signal)
  }
}
