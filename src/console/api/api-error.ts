import type { ErrorBody } from './types.ts'

type Problem = ErrorBody['error']['problems'][0]

/** An expected error, such as a refusal by the control API or a missing response. Its message can be shown to the user. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** HTTP status; 0 for an error without one. */
  readonly status: number
  readonly code: string
  /**
   * Problem with a field of the request. Its `path` is the path of the field: `fault.status`. Undefined if the error is not about
   * a field.
   */
  readonly problem: Problem | undefined

  constructor(status: number, code: string, message: string, problem?: Problem) {
    super(message)
    this.status = status
    this.code = code
    this.problem = problem
  }
}

export function unreachable(): ApiError {
  return new ApiError(0, 'unreachable', 'The server does not respond.')
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unreachable'
}

/** Awaits a value. Resolves to null for an ApiError that `isMissing` accepts, by default a 404; any other error is rethrown. */
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

/**
 * Describes an error for the user. An error other than an ApiError is a bug in the console, and is also reported to the browser.
 */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  reportError(error)
  return 'This is a bug in the console. The log of the browser shows where.'
}
