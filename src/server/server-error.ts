/** The server cannot listen on the address. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code = 'cannot_listen'
}

/** The world could not be written to its file. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
  readonly code = 'state_not_written'
}
