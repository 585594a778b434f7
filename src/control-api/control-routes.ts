import { z } from 'zod'
import { VERSION } from '../contract/version.ts'
import { errorResponse } from './control-error.ts'
import { CONTROL_PREFIX } from './prefix.ts'
import { EXPLAIN_ROUTES } from './routes/explain-routes.ts'
import { FAULT_ROUTES } from './routes/fault-routes.ts'
import { OVERVIEW_ROUTES } from './routes/overview-routes.ts'
import { PARTNER_ROUTES } from './routes/partner-routes.ts'
import { POLICY_ROUTES } from './routes/policy-routes.ts'
import { POSITION_ROUTES } from './routes/position-routes.ts'
import { RECORD_ROUTES } from './routes/record-routes.ts'
import { REPORT_ROUTES } from './routes/report-routes.ts'
import { REQUEST_ROUTES } from './routes/request-routes.ts'
import { REVIEW_ROUTES } from './routes/review-routes.ts'
import { defineRoute, ok } from './routes/route.ts'
import type { ControlRoute, ControlRoutes, ControlResponse } from './routes/route.ts'
import { SESSION_ROUTES } from './routes/session-routes.ts'
import { WORLD_ROUTES } from './routes/world-routes.ts'
import { WORLDS_ROUTES } from './routes/worlds-routes.ts'

const Health = z.strictObject({
  status: z.enum(['ok', 'degraded']).describe('`degraded` if there are problems'),
  version: z.string().describe('The release of seo-sandbox'),
  worlds: z
    .int()
    .describe(
      'Number of worlds, including the default one; with a store, of those that this process holds',
    ),
  capabilities: z
    .array(z.string())
    .describe('Capabilities of the server, as path prefixes of its routes'),
  store: z
    .enum(['reached', 'unreachable'])
    .optional()
    .describe('With a store: its state at the last call'),
  default_world: z
    .enum(['open', 'closed'])
    .optional()
    .describe('With a store: `open` if the default world accepts its built-in tokens'),
  problems: z
    .array(z.string())
    .optional()
    .describe('Problems of the store or the state file, for the operator'),
})
type Health = z.infer<typeof Health>

const Readiness = z.strictObject({ ready: z.boolean() })
type Readiness = z.infer<typeof Readiness>

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const METRICS_OFF = errorResponse(
  404,
  'metrics_off',
  'Metrics are off. Install prom-client beside seo-sandbox (npm install prom-client), and start the server with --metrics.',
)

const ABOUT_ROUTES: ControlRoutes = {
  tag: 'About',
  page: 'docs/control-api.md',
  description: 'The control API itself',
  routes: [
    defineRoute({
      id: 'getHealth',
      role: 'public',
      method: 'get',
      path: '/health',
      summary: 'Shows the health and the capabilities of the server',
      description:
        'Answers 200 as long as the server runs. It needs no admin key, and responds even if the rest of the control API is off.',
      responses: { 200: Health },
      answer: ({ worlds, store, problems: listProblems }) => {
        const problems = listProblems?.()
        return ok({
          status: problems === undefined || problems.length === 0 ? 'ok' : 'degraded',
          version: VERSION,
          worlds: worlds.size,
          capabilities: listCapabilities(),
          ...(store && {
            store: store.isReached ? 'reached' : 'unreachable',
            default_world: store.isDefaultClosed ? 'closed' : 'open',
          }),
          ...(problems && { problems }),
        } satisfies Health)
      },
    }),
    defineRoute({
      id: 'getReadiness',
      role: 'public',
      method: 'get',
      path: '/ready',
      summary: 'Shows the readiness of the server, for a proxy in front of it',
      description:
        'Answers 200 if the server has no store or its store answers, otherwise 503. It needs no admin key, and responds even if the rest of the control API is off.',
      responses: { 200: Readiness, 503: Readiness },
      answer: async ({ store }) => {
        const ready = (await store?.answers()) ?? true
        return { status: ready ? 200 : 503, body: { ready } satisfies Readiness }
      },
    }),
    defineRoute({
      id: 'getMetrics',
      method: 'get',
      path: '/metrics',
      summary: 'Shows metrics for the operator, in the text format of Prometheus',
      description:
        'Available with `--metrics`: number and duration of requests, worlds in memory, the store, the process.',
      role: 'admin',
      mediaType: 'text/plain',
      responses: { 200: z.string() },
      answer: async ({ metrics }) =>
        metrics
          ? { status: 200, text: { type: METRICS_TYPE, content: await metrics() } }
          : METRICS_OFF,
    }),
    defineRoute({
      id: 'getDocument',
      role: 'shared',
      method: 'get',
      path: '/openapi.json',
      summary: 'Returns the control API as an OpenAPI document',
      description:
        'Its `servers` names the server that sends it, and its `externalDocs` the document of the API itself.',
      responses: { 200: z.looseObject({ openapi: z.string() }) },
      answer: async ({ document }) => ok(await document()),
    }),
  ],
}

export const CONTROL_GROUPS: readonly ControlRoutes[] = [
  WORLD_ROUTES,
  WORLDS_ROUTES,
  PARTNER_ROUTES,
  RECORD_ROUTES,
  REPORT_ROUTES,
  POSITION_ROUTES,
  OVERVIEW_ROUTES,
  REQUEST_ROUTES,
  POLICY_ROUTES,
  FAULT_ROUTES,
  EXPLAIN_ROUTES,
  REVIEW_ROUTES,
  SESSION_ROUTES,
  ABOUT_ROUTES,
]

/**
 * Lists the first path segments of all routes, except those about the control API itself, so that clients can check for a
 * capability before using it.
 */
function listCapabilities(): string[] {
  const controlling = CONTROL_GROUPS.filter((group) => group !== ABOUT_ROUTES)
  const names = controlling.flatMap(({ routes }) =>
    routes.map(({ path }) => path.split(/[/.]/)[1] ?? ''),
  )
  return [...new Set(names)]
}

export const CONTROL_ROUTES: readonly ControlRoute[] = CONTROL_GROUPS.flatMap(
  ({ routes }) => routes,
)

interface MatchedRoute {
  route: ControlRoute
  page: string
  /** Values of the path parameters by name, not yet decoded. */
  segments: Readonly<Record<string, string>>
}

interface Pattern extends Pick<MatchedRoute, 'route' | 'page'> {
  segments: readonly string[]
}

const PATTERNS: readonly Pattern[] = CONTROL_GROUPS.flatMap(({ routes, page }) =>
  routes.map((route) => ({ route, page, segments: route.path.split('/') })),
)

/**
 * Returns the route for a method and a path below `/_sandbox`; undefined if there is none. HEAD matches the routes for GET.
 * Paths are case-insensitive, except for the values of their parameters.
 */
export function matchRoute(method: string, path: string): MatchedRoute | undefined {
  const name = method === 'HEAD' ? 'get' : method.toLowerCase()
  const requested = path.split('/')
  const found = PATTERNS.find(
    ({ route, segments }) => route.method === name && isMatching(segments, requested),
  )
  if (!found) return undefined
  const segments = found.segments.flatMap((segment, index) =>
    segment.startsWith(':') ? [[segment.slice(1), requested[index] ?? '']] : [],
  )
  const { route, page } = found
  return { route, page, segments: Object.fromEntries(segments) as Record<string, string> }
}

function isMatching(segments: readonly string[], requested: readonly string[]): boolean {
  return (
    segments.length === requested.length &&
    segments.every((segment, index) => {
      const text = requested[index] ?? ''
      return segment.startsWith(':') ? text !== '' : text.toLowerCase() === segment
    })
  )
}

/** Returns the decoded parameters of a path, or a refusal if one of them is not percent-encoded UTF-8. */
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

export function unknownRoute(method: string, path: string): ControlResponse {
  const paths = [...new Set(CONTROL_ROUTES.map((route) => `${CONTROL_PREFIX}${route.path}`))]
  return errorResponse(
    404,
    'route_not_found',
    `There is no ${method} ${CONTROL_PREFIX}${path}. The control API has ${paths.join(', ')}.`,
  )
}
