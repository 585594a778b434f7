import { z } from 'zod'
import {
  bodyOf,
  OPERATIONS,
  ProblemBody,
  RateLimitBody,
  UnknownParameterBody,
} from '../../../build/contract/operations.js'
import { ControlError } from '../../../build/control-api/control-error.js'

/** A line of a stack trace, or of what Node prints in front of one. */
const STACK_LINE =
  /\n\s*at (?:.+ \()?(?:file:|node:|\/|[A-Za-z]:\\).+:\d+:\d+|\.[jt]s:\d+:\d+|node:internal/

/** Whether a text shows how the sandbox is made. */
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
 * What is wrong with the body of a response of the API; undefined where nothing is.
 *
 * @param problem Its code, where it is known; `operation` answered it otherwise.
 * @param hasPolicies Whether policies may have changed its form.
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

/** The same of a response of the control API, whose successes have a schema each. */
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
