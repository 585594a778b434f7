/** Error for an unknown option or an invalid value. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  readonly code = 'invalid_option'
  /** Page of the package's documentation about the option, like `docs/policies.md`; undefined if no page is about it alone. */
  readonly page: string | undefined

  constructor(
    message: string,
    { page, ...options }: ErrorOptions & { page?: string | undefined } = {},
  ) {
    super(message, options)
    this.page = page
  }
}
