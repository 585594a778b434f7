import type { RecordReader } from '../../contract/records.ts'
import { defineCheck } from '../check.ts'
import { parametersOf } from '../reviewed-request.ts'

const TOKEN_NAMES =
  /^(?:(?:access|api|auth|bearer)[_-]?)?(?:token|key)$|^(?:authorization|bearer|apikey)$/i

export const tokenInUrl = defineCheck({
  id: 'token-in-url',
  category: 'security',
  severity: 'error',
  section: '5(1)',
  finds: 'sent a token in the query, which logs, proxies and histories keep',
  instead: 'Send the token only in the header `Authorization: Bearer TOKEN`.',
  exercise: 'Let the client send a request with its token.',
  sees: 'all',
  read: ({ query, sender: { authorization }, sequence }, report, _, { records }) => {
    if (authorization !== undefined) report.meet()
    if (query === '') return
    const isToken = parametersOf(query).some((parameter) => isTokenParameter(parameter, records))
    if (isToken) report.fail(() => `Request ${sequence} sends a token as a query parameter.`)
  },
})

/** True if a parameter has a value and a name such as `access_token`, or if its value is a token of the world. */
export function isTokenParameter(
  [name, value]: readonly [string, string],
  records: Pick<RecordReader, 'tokenNamed'>,
): boolean {
  const isNamed = TOKEN_NAMES.test(name) && value !== ''
  return isNamed || records.tokenNamed(`Bearer ${value}`) !== undefined
}
