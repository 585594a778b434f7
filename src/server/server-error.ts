/** A server that could not listen where it was asked to. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code = 'cannot_listen'
}
