import { z } from 'zod'
import { VERSION } from '../version.ts'
import { EXPLAIN_ROUTES } from './routes/explain-routes.ts'
import { FAULT_ROUTES } from './routes/fault-routes.ts'
import { POLICY_ROUTES } from './routes/policy-routes.ts'
import { RECORD_ROUTES } from './routes/record-routes.ts'
import { REQUEST_ROUTES } from './routes/request-routes.ts'
import { ok } from './routes/route.ts'
import type { ControlRoute, ControlRoutes } from './routes/route.ts'
import { SESSION_ROUTES } from './routes/session-routes.ts'
import { WORLD_ROUTES } from './routes/world-routes.ts'
import { WORLDS_ROUTES } from './routes/worlds-routes.ts'

/** The control API stands below this path, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'

/** Where the control API describes itself. */
const DOCUMENT_ROUTES: ControlRoutes = {
  tag: 'Document',
  description: 'The control API itself',
  routes: [
    {
      id: 'getDocument',
      method: 'get',
      path: '/openapi.json',
      summary: 'The control API as an OpenAPI document',
      isWorldless: true,
      answers: { 200: z.looseObject({ openapi: z.string() }) },
      answer: async () => {
        const { createControlOpenApi } = await import('./openapi.ts')
        return ok(
          createControlOpenApi({
            version: VERSION,
            baseUrl: '',
            prefix: CONTROL_PREFIX,
            groups: CONTROL_GROUPS,
          }),
        )
      },
    },
  ],
}

/** The routes of the control API as they belong together (design, the control API). */
export const CONTROL_GROUPS: readonly ControlRoutes[] = [
  WORLD_ROUTES,
  WORLDS_ROUTES,
  RECORD_ROUTES,
  REQUEST_ROUTES,
  POLICY_ROUTES,
  FAULT_ROUTES,
  EXPLAIN_ROUTES,
  SESSION_ROUTES,
  DOCUMENT_ROUTES,
]

export const CONTROL_ROUTES: readonly ControlRoute[] = CONTROL_GROUPS.flatMap(
  ({ routes }) => routes,
)
