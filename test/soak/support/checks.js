import { z } from 'zod'
import {
  bodyOf,
  OPERATIONS,
  ProblemBody,
  RateLimitBody,
  UnknownParameterBody,
} from '../../../build/contract/operations.js'
import { ControlError } from '../../../build/control-api/control-error.js'

/** A line of a stack trace, or a line that Node prints in front of one. */
const STACK_LINE =
  /\n\s*at (?:.+ \()?(?:file:|node:|\/|[A-Za-z]:\\).+:\d+:\d+|\.[jt]s:\d+:\d+|node:internal/

/** True for a text that shows internals of the sandbox. */
export function showsInternals(text) {
  return (
    STACK_LINE.test(text) || text.includes('Internal error') || text.includes('"internal_error"')
  )
}

/** The body of a problem in any of the forms that policies choose between. */
const AnyProblem = z.union([
  ProblemBody,
  UnknownParameterBody,
  RateLimitBody,
  z.strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      allowed_parameters: z.array(z.string()).optional(),
    }),
  }),
])

/**
 * The fault of the body of an API response; undefined if there is none.
 *
 * @param problem Its code, if known; `operation` answered it otherwise.
 * @param hasPolicies True if policies may have changed its form.
 */
export function findBadBody({ status, type, text, problem, operation, hasPolicies }) {
  if (showsInternals(text)) return 'it shows internals'
  if (hasPolicies && status !== 200 && (text === '' || type.startsWith('text/html')))
    return undefined
  if (type !== 'application/json') return `its type is ${type}`
  const body = parse(text)
  if (body === undefined) return 'it is not JSON'
  if (status === 200 && hasPolicies) return undefined
  const schema = status === 200 ? OPERATIONS[operation].response : schemaOf(problem, hasPolicies)
  const { success, error } = schema.safeParse(body)
  return success ? undefined : `it is not as documented: ${z.prettifyError(error)}`
}

function schemaOf(problem, hasPolicies) {
  return problem === undefined || hasPolicies ? AnyProblem : bodyOf(problem)
}

/** The fault of a response of the control API, whose successes have a schema each; undefined if there is none. */
export function findBadControlBody({ status, type, text }) {
  if (showsInternals(text)) return 'it shows internals'
  if (status < 400) return undefined
  if (!type.startsWith('application/json')) return `its type is ${type}`
  return ControlError.safeParse(parse(text)).success ? undefined : 'it is not a ControlError'
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
