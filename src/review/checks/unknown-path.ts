import { API_PREFIX, isUnprompted } from '../../contract/url.ts'
import { describe } from '../../contract/text.ts'
import { OPERATION_IDS, toEndpoint, ROUTES } from '../../contract/routes.ts'
import { findMisspelt } from '../../contract/suggestion.ts'
import { defineCheck, remember } from '../check.ts'
import type { NamedRequest } from '../reviewed-request.ts'

interface Wrong {
  request: NamedRequest
  path: string
  origin: string
}

const VERSION_PREFIX = /^(?:\/[^/]+)*?\/v\d+(?=\/)/

const ID = /(?<=\/)\d+(?=\/|$)/g
const MAXIMUM_PATH_LENGTH = 200

/** Endpoints by path, with `*` for each parameter. */
const ENDPOINTS = new Map(
  OPERATION_IDS.map((id) => [ROUTES[id].path.replaceAll(/\{\w+\}/g, '*'), toEndpoint(id)]),
)

export const unknownPath = defineCheck({
  id: 'unknown-path',
  category: 'requests',
  severity: 'error',
  section: '4.1',
  finds: 'requested a path that no endpoint has',
  instead: `Send requests to the paths of the endpoints, each below \`${API_PREFIX}\`.`,
  exercise: 'Let the client send a request to any endpoint.',
  sees: 'all',
  start: () => ({ hasRight: false, wrong: new Map<string, Wrong>() }),
  read: (request, report, state) => {
    const { operation, path, sender } = request
    if (operation !== undefined) {
      state.hasRight = true
      report.meet()
      return
    }
    const { authorization, origin } = sender
    if (authorization === undefined && !VERSION_PREFIX.test(path)) return
    // The check `doubled-prefix` covers a path with the prefix twice.
    if (isUnprompted(path) || path.startsWith(API_PREFIX + API_PREFIX)) return
    const shown = path.slice(0, MAXIMUM_PATH_LENGTH)
    const key = toTemplate(shown)
    if (!state.wrong.has(key)) {
      remember(state.wrong, key, { request: request.toNamed(), path: shown, origin })
    }
  },
  pending: ({ hasRight, wrong }) => {
    const each = [...wrong.values()]
    const [first] = each
    if (first && !hasRight && !each.some(({ path }) => path.startsWith(`${API_PREFIX}/`))) {
      const message = `No request is for a path of the API, such as ${describe(first.path)} of request ${first.request.sequence}: its base URL is ${first.origin}${API_PREFIX}.`
      return [{ requests: each.map(({ request }) => request), message }]
    }
    return each.map(({ request, path }) => ({
      requests: [request],
      message: `Request ${request.sequence} is for ${describe(path)}, which is not a path of the API.${nearestTo(path)}`,
    }))
  },
})

function toTemplate(path: string): string {
  return path.replace(VERSION_PREFIX, '').replaceAll(ID, '*')
}

function nearestTo(path: string): string {
  const nearest = findMisspelt(toTemplate(path), [...ENDPOINTS.keys()])
  return nearest === undefined ? '' : ` The nearest is ${ENDPOINTS.get(nearest)}.`
}
