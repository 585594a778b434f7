interface SessionErrorOptions extends ErrorOptions {
  /** The place of the mistake, like `steps[3].request`. */
  place?: string
}

/** Error for input that is not a session that can be replayed. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code = 'invalid_session'
  /** The place of the mistake, like `steps[3].request`; empty for the whole session. */
  readonly place: string

  constructor(message: string, { place = '', ...options }: SessionErrorOptions = {}) {
    super(message, options)
    this.place = place
  }
}
