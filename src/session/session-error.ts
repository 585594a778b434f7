/** The input is not a session that can be replayed. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code = 'invalid_session'
}
