import { OPERATION_IDS } from '../../contract/routes.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import { bearerOf } from '../../engine/authenticator.ts'
import { defineCheck } from '../check.ts'
import { parametersOf } from '../reviewed-request.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'
import { isTokenParameter } from './token-in-url.ts'

const TOKEN_REFUSALS: ReadonlySet<ProblemCode | undefined> = new Set<ProblemCode>([
  'unauthenticated',
  'login_required',
  'forbidden',
  'token_disabled',
  'ip_not_allowed',
])

export const unauthenticated = defineCheck({
  id: 'unauthenticated',
  category: 'security',
  severity: 'error',
  section: '5',
  finds: 'sent no request with a valid token',
  instead:
    'Send `Authorization: Bearer TOKEN` with every request, with a token that is active and whose addresses include yours.',
  exercise: 'Let the client send a request with a token of this world.',
  sees: OPERATION_IDS,
  start: () => ({ isAccepted: false, sent: new Map<string, NamedRequest>() }),
  read: (request, report, state, { records }) => {
    const { head, query } = request
    // A fault may refuse any token, and the check `token-in-url` covers a token in the query.
    if (state.isAccepted || head.faults.length > 0) return
    const parameters = query === '' ? [] : parametersOf(query)
    if (parameters.some((parameter) => isTokenParameter(parameter, records))) return
    if (!TOKEN_REFUSALS.has(head.problem)) {
      state.isAccepted = true
      state.sent.clear()
      report.meet()
      return
    }
    const sent = toSent(request)
    if (!state.sent.has(sent)) state.sent.set(sent, request.toNamed())
  },
  mendedIn: 'run',
  pending: ({ sent }) => {
    if (sent.size === 0) return []
    const listed = [...sent].map(([what, { sequence }]) => `request ${sequence} has ${what}`)
    const message = `No request was accepted: ${listed.join(', ')}.`
    return [{ requests: [...sent.values()], message }]
  },
})

function toSent({ sender, head }: Readonly<ReviewedRequest>): string {
  const { authorization, token, tokenHeader } = sender
  if (authorization === undefined) {
    return tokenHeader === undefined
      ? 'no Authorization header'
      : `${tokenHeader} instead of an Authorization header`
  }
  if (bearerOf(authorization) === undefined) return 'an Authorization header without Bearer'
  if (!token) return 'an unknown token'
  return head.problem === 'ip_not_allowed'
    ? 'a token that is not allowed from its address'
    : 'a disabled token'
}
