import { defineCheck } from '../check.ts'
import { parametersOf } from '../query.ts'

const TOKEN_NAMES =
  /^(?:(?:access|api|auth|bearer)[_-]?)?(?:token|key)$|^(?:authorization|bearer|apikey)$/i

export const tokenInUrl = defineCheck({
  id: 'token-in-url',
  category: 'security',
  severity: 'error',
  section: '5(1)',
  finds: 'A token was sent in the query, which logs, proxies and histories keep',
  instead: 'Send the token in the header `Authorization: Bearer TOKEN` alone.',
  sees: 'all',
  read: ({ query, sender: { authorization }, sequence }, report, _, { records }) => {
    if (authorization !== undefined) report.meet()
    if (query === '') return
    const isToken = parametersOf(query).some(
      ([name, value]) =>
        (isTokenName(name) && value !== '') || records.tokenNamed(`Bearer ${value}`) !== undefined,
    )
    if (isToken) report.fail(() => `Request ${sequence} sends a token as a query parameter.`)
  },
})

export function isTokenName(name: string): boolean {
  return TOKEN_NAMES.test(name)
}
