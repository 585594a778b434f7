import { ok } from './route.ts'
import type { ControlRoute } from './route.ts'

/** What was asked. */
export const REQUEST_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/requests',
    summary: 'The requests answered, the oldest first',
    answer: ({ world }) => ok(world.journal.requests()),
  },
  {
    method: 'delete',
    path: '/requests',
    summary: 'Forgets the requests; the commands stay',
    answer: async ({ world }) => {
      await world.command({ type: 'journal.clear' })
      return { status: 204 }
    },
  },
]
