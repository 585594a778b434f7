import { CONTROL_PREFIX } from './prefix.ts'
import { CONTROL_GROUPS, CONTROL_ROUTES } from './control-routes.ts'
import { errorResponse } from './control-error.ts'
import type { ControlResponse, ControlRoute } from './routes/route.ts'

/** A route, and the segments of a path that its parameters stand for. */
interface MatchedRoute {
  route: ControlRoute
  /** The page of the documentation that is about it. */
  page: string
  segments: Readonly<Record<string, string>>
}

interface Pattern extends Pick<MatchedRoute, 'route' | 'page'> {
  segments: readonly string[]
}

const PATTERNS: readonly Pattern[] = CONTROL_GROUPS.flatMap(({ routes, page }) =>
  routes.map((route) => ({ route, page, segments: route.path.split('/') })),
)

/**
 * The route for a method and a path below `/_sandbox`; undefined where there is none. HEAD is answered as GET is, and letters of
 * either case are the same, but not in parameters.
 */
export function matchRoute(method: string, path: string): MatchedRoute | undefined {
  const name = method === 'HEAD' ? 'get' : method.toLowerCase()
  const given = path.split('/')
  const found = PATTERNS.find(
    ({ route, segments }) => route.method === name && isMatching(segments, given),
  )
  if (!found) return undefined
  const segments = found.segments.flatMap((segment, index) =>
    segment.startsWith(':') ? [[segment.slice(1), given[index] ?? '']] : [],
  )
  const { route, page } = found
  return { route, page, segments: Object.fromEntries(segments) as Record<string, string> }
}

function isMatching(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => {
      const text = given[index] ?? ''
      return segment.startsWith(':') ? text !== '' : text.toLowerCase() === segment
    })
  )
}

/** The values of the parameters of a path; a refusal for one that is not percent-encoded UTF-8. */
export function decodeSegments({
  segments,
}: Pick<MatchedRoute, 'segments'>):
  | { params: Record<string, string> }
  | { refusal: ControlResponse } {
  const params: Record<string, string> = {}
  for (const [name, text] of Object.entries(segments)) {
    try {
      params[name] = decodeURIComponent(text)
    } catch {
      const message = `${JSON.stringify(text)} in the path cannot be decoded. Percent-encode it as UTF-8.`
      return { refusal: errorResponse(400, 'invalid_request', message) }
    }
  }
  return { params }
}

/** The response for a path or a method that no route has. */
export function unknownRoute(method: string, path: string): ControlResponse {
  const paths = [...new Set(CONTROL_ROUTES.map((route) => `${CONTROL_PREFIX}${route.path}`))]
  return errorResponse(
    404,
    'route_not_found',
    `There is no ${method} ${CONTROL_PREFIX}${path}. The control API has ${paths.join(', ')}.`,
  )
}
