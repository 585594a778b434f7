/** Error for an address on which a server cannot listen. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code = 'cannot_listen'
}

/** Error for a world that could not be written to its state file. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
  readonly code = 'state_not_written'
}
