/**
 * Why there is no rehearsal: another one is running, timers are in the way, there is no token, the client waits in real time, or
 * it never stops.
 */
export type RehearsalErrorCode =
  | 'already_running'
  | 'timers_faked'
  | 'no_token'
  | 'stalled'
  | 'endless'

/** A rehearsal cannot begin or go on. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError'
  readonly code: RehearsalErrorCode

  constructor(code: RehearsalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
