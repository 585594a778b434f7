import { constants } from 'node:os'

/** The exit codes of `exec` that are not the command's own; a signal adds its number to the last. */
export const EXEC_EXIT_CODES = {
  /** Only where the command gave 0. */
  reviewFailed: 1,
  timedOut: 124,
  failed: 125,
  notRunnable: 126,
  notFound: 127,
  signalled: 128,
} as const

/** What a shell gives for a program that a signal ended. */
export function toSignalCode(signal: NodeJS.Signals): number {
  return EXEC_EXIT_CODES.signalled + constants.signals[signal]
}
