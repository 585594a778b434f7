/** A link or a session file cannot be opened. Nothing of it has run, or only the steps before the one that the message names. */
export class ShareError extends Error {
  override readonly name = 'ShareError'
  readonly code = 'invalid_share'
}
