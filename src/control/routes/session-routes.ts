import { ok } from './route.ts'
import type { ControlRoute } from './route.ts'

/** What a bug report carries. */
export const SESSION_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/session',
    summary:
      'All that was asked and told since the world began, to be played again; no bearer values',
    answer: async ({ world }) => ok(await world.session()),
  },
]
