import { describe } from '../../contract/text.ts'
import { toEndpoint } from '../../contract/routes.ts'
import { knownParameters } from '../../engine/parameters.ts'
import { defineCheck } from '../check.ts'
import { parametersOf } from '../reviewed-request.ts'
import { isTokenParameter } from './token-in-url.ts'

export const unknownParameter = defineCheck({
  id: 'unknown-parameter',
  category: 'requests',
  severity: 'error',
  section: '4.3(1)',
  finds: 'sent a query parameter that the endpoint does not have',
  instead:
    'Send `status`, `search`, `agency_id`, `page` and `per_page` to the project list, and no parameters elsewhere.',
  exercise: 'Let the client send a query, such as `?per_page=100`.',
  sees: 'queries',
  read: ({ query, operation, sequence }, report, _, { records }) => {
    if (operation === undefined) return
    report.meet()
    const known: readonly string[] = knownParameters(operation)
    // The check `token-in-url` covers a token in the query.
    const unknown = parametersOf(query).find(
      (parameter) => !known.includes(parameter[0]) && !isTokenParameter(parameter, records),
    )
    if (!unknown) return
    report.fail(
      () =>
        `Request ${sequence} sends the parameter ${describe(unknown[0])}, which ${toEndpoint(operation)} does not have.`,
    )
  },
})
