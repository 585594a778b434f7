/** A refusal of the control API, or a server that cannot be reached. Its message is a sentence to show. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** 0 where no response arrived. */
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The server is stopped, or cannot be reached. */
export function unreachable(): ApiError {
  return new ApiError(0, 'unreachable', 'The server does not respond.')
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unreachable'
}

/** A request to the API got no response, or only a part of its head: a fault may do that. */
export function noResponseError(): ApiError {
  return new ApiError(0, 'no_response', 'The connection was closed before a response arrived.')
}

/** What is read; null where the server says that it is not there, by a 404 or as `isMissing` tells. */
export async function orNull<Value>(
  pending: Promise<Value>,
  isMissing = ({ status }: ApiError): boolean => status === 404,
): Promise<Value | null> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof ApiError && isMissing(error)) return null
    throw error
  }
}

/** A sentence for any error. One that is not an ApiError is a bug in the console, and is also reported to the browser. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  reportError(error)
  return 'This is a bug in the console. The log of the browser shows where.'
}
