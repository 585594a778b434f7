import { EXPLAIN_ROUTES } from './routes/explain-routes.ts'
import { FAULT_ROUTES } from './routes/fault-routes.ts'
import { POLICY_ROUTES } from './routes/policy-routes.ts'
import { RECORD_ROUTES } from './routes/record-routes.ts'
import { REQUEST_ROUTES } from './routes/request-routes.ts'
import type { ControlRoute } from './routes/route.ts'
import { SESSION_ROUTES } from './routes/session-routes.ts'
import { WORLD_ROUTES } from './routes/world-routes.ts'
import { WORLDS_ROUTES } from './routes/worlds-routes.ts'

/** The control API stands below this path, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'

/** The control API (design, the control API). */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  ...WORLD_ROUTES,
  ...WORLDS_ROUTES,
  ...RECORD_ROUTES,
  ...REQUEST_ROUTES,
  ...POLICY_ROUTES,
  ...FAULT_ROUTES,
  ...EXPLAIN_ROUTES,
  ...SESSION_ROUTES,
]
