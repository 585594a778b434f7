/** A command that cannot be started, with the exit code that shells have for that, or `EXEC_EXIT_CODES.failed`. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
