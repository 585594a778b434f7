/** The server cannot listen on the address. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code = 'cannot_listen'
}
