interface OptionErrorOptions extends ErrorOptions {
  /** The page of the documentation about the option. */
  page?: string | undefined
}

/** An option is unknown, or its value is invalid. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  readonly code = 'invalid_option'
  /** The page of the package's documentation about the option, like `docs/policies.md`; undefined where none is about it alone. */
  readonly page: string | undefined

  constructor(message: string, { page, ...options }: OptionErrorOptions = {}) {
    super(message, options)
    this.page = page
  }
}
