import { PROBLEMS } from '../../contract/problems.ts'
import { htmlContent } from '../../engine/responses.ts'
import { defineFaultKind } from './fault-kind.ts'
import { ErrorStatus, problemOf } from './status.ts'

/** The error page of a proxy, without the API's rate-limit headers. */
export const html = defineFaultKind({
  kind: 'html',
  description: 'The error page of a proxy in front of the API',
  fields: { status: ErrorStatus.default(502) },
  hasBody: true,
  replaces: ({ status, token }, { reject, identifiedBy }) => {
    const problem = problemOf(status, undefined)
    const { type, bytes } = htmlContent(`${status} ${PROBLEMS[problem].message}`)
    const { headers, ...response } = reject(problem)
    const keptHeaders = ['Cache-Control', 'Date'].map((name) => [name, headers[name]])
    return {
      ...response,
      headers: { 'Content-Type': type, ...Object.fromEntries(keptHeaders) },
      body: bytes,
      policies: token === undefined ? [] : identifiedBy,
    }
  },
})
