import { z } from 'zod'
import type { ProblemCode } from './problems.ts'

/** The body of a problem by default (specification 7, G-004, G-005). */
export const ProblemBody = z.strictObject({
  message: z.string().describe('A human-readable sentence'),
})

/** The body of the 400 that lists the allowed names by default (specification 4.3(1), G-006). */
export const UnknownParameterBody = z.strictObject({
  ...ProblemBody.shape,
  allowed_parameters: z.array(z.string()).describe('The names that are known here'),
})

/** The body of a 429 (specification 7). */
export const RateLimitBody = z.strictObject({
  error: z.strictObject({
    code: z.literal('rate_limit_exceeded' satisfies ProblemCode),
    message: z.string().describe('A short text that asks to slow down'),
  }),
})

/** What a proxy in front of the API sends in place of the body of a problem. */
export const HtmlPage = z.string().describe('The error page of a proxy, as HTML')

/** What the body of a problem looks like where no policy changes it. */
export function bodyOf(problem: ProblemCode): z.ZodType {
  if (problem === 'rate_limit_exceeded') return RateLimitBody
  return problem === 'unknown_parameter' ? UnknownParameterBody : ProblemBody
}
