import { STOP_REASONS } from '../stopping.ts'
import { EXEC_EXIT_CODES, toSignalCode } from './exit-codes.ts'
import type { CommandEnd } from './run-command.ts'
import type { RunProcess } from './processes.ts'

/** The exit code for a command that has ended, without its review. */
export function toExitCode({ code, signal, reason }: CommandEnd): number {
  if (reason === 'timeout') return EXEC_EXIT_CODES.timedOut
  if (signal !== null) return toSignalCode(signal)
  return code ?? EXEC_EXIT_CODES.failed
}

/** What to report about how a command ended, in sentences; none if it simply exited. */
export function describeEnd(end: CommandEnd): string[] {
  const left = describeLeft(end, ' With --leave-daemons they keep running.')
  return [describeExit(end), ...left].filter((sentence) => sentence !== undefined)
}

/** What a command left running, in sentences, and what to do about what was ended. */
export function describeLeft({ processes: { ended, left } }: CommandEnd, remedy = ''): string[] {
  return [
    ...(ended.length > 0
      ? [`The command left processes running, which were ended: ${list(ended)}.${remedy}`]
      : []),
    ...(left.length > 0
      ? [`These processes could not be ended: ${list(left)}. End them by hand.`]
      : []),
  ]
}

function describeExit({ signal, reason, isKilled, received }: CommandEnd): string | undefined {
  const how = isKilled ? 'killed, because SIGTERM did not end it' : 'ended'
  if (reason === 'timeout') return `The command took longer than --timeout allows, and was ${how}.`
  if (reason === 'npm-ended') return STOP_REASONS[reason]
  if (isKilled) return `The command was ${how}.`
  // A signal that was sent to both processes needs no mention.
  if (signal === null || received.has(signal)) return undefined
  return `The command was ended by ${signal}.`
}

function list(processes: readonly RunProcess[]): string {
  return processes.map(({ pid, name }) => `${name} (${pid})`).join(', ')
}

/** The line of `--json`, with the exit code of this process. */
export function toEndEvent({ signal, reason, isKilled, processes }: CommandEnd, code: number) {
  return {
    event: 'ended',
    code,
    signal,
    reason,
    killed: isKilled,
    processes_ended: processes.ended,
    processes_left: processes.left,
  }
}
