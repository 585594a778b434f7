import type { ErrorBody } from './types.ts'

type Problem = ErrorBody['error']['problems'][0]

/** A refusal by the control API, or a failure to reach the server. Its message is a sentence to show. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** HTTP status; 0 if no response arrived. */
  readonly status: number
  readonly code: string
  /** Problem of a field of what was sent, with the path of the field: `fault.status`. */
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

/** Awaits a value, with null in place of an ApiError that `isMissing` accepts: by default, a 404. */
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
 * Returns a sentence that describes an error. An error other than an ApiError is a bug in the console, and is also reported to
 * the browser.
 */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  reportError(error)
  return 'This is a bug in the console. The log of the browser shows where.'
}
