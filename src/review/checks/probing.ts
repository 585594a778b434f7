import { toEndpoint } from '../../contract/routes.ts'
import { defineCheck, remember } from '../check.ts'
import { listSequences } from '../reviewed-request.ts'
import type { NamedRequest } from '../reviewed-request.ts'
import { SINGLE_RECORD_ENDPOINTS } from './retry-missing.ts'

/** Requests of a caller to one endpoint that got a 404, each for a different path. */
interface Misses {
  paths: string[]
  requests: NamedRequest[]
}

const MINIMUM_MISSES = 10

export const probing = defineCheck({
  id: 'probing',
  category: 'requests',
  severity: 'warning',
  section: '4.2',
  finds: 'tried ten or more ids or report numbers that do not exist',
  instead: 'Read ids and report numbers from the lists, which show all of them.',
  exercise: 'Let the client read a single record, or the content of a report.',
  sees: SINGLE_RECORD_ENDPOINTS,
  start: () => new Map<string, Misses>(),
  read: (request, report, byEndpoint) => {
    const { operation, status, caller, path } = request
    if (status === 200) report.meet()
    if (status !== 404) return
    const key = `${caller} ${operation}`
    const misses = byEndpoint.get(key) ?? { paths: [], requests: [] }
    remember(byEndpoint, key, misses)
    const { paths, requests } = misses
    if (paths.length === MINIMUM_MISSES || paths.includes(path)) return
    paths.push(path)
    requests.push(request.toNamed())
    if (paths.length < MINIMUM_MISSES) return
    report.fail(
      () =>
        `Requests ${listSequences(requests)} try ids or numbers that do not exist, at ${toEndpoint(operation!)}.`,
      () => requests,
    )
  },
})
