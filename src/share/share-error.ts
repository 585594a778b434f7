/** A link or a session file that is not opened; nothing of it has run, or only the steps before the one that is named. */
export class ShareError extends Error {
  override readonly name = 'ShareError'
  readonly code = 'invalid_share'
}
