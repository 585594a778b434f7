/** Error for input that is not a replayable session. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code = 'invalid_session'
  /** Place of the mistake, like `steps[3].request`; empty for the whole session, or if only the message names the place. */
  readonly place: string

  constructor(message: string, { place = '', ...options }: ErrorOptions & { place?: string } = {}) {
    super(message, options)
    this.place = place
  }
}
