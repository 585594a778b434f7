import { toSessionReview } from '../../review/record-review.ts'
import { sessionOf } from '../../session/session-recorder.ts'
import { Session } from '../../session/session.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

export const SESSION_ROUTES: ControlRoutes = {
  tag: 'Session',
  page: 'docs/journal.md',
  description: 'A recording for a bug report',
  routes: [
    defineRoute({
      id: 'getSession',
      role: 'world',
      method: 'get',
      path: '/session',
      summary:
        'Returns all requests and commands since the world was created, reset, or replaced by a scenario or snapshot; no bearer values',
      description:
        '`seo-sandbox replay` sends the requests of a session again, and compares the responses.',
      isCostly: true,
      responses: { 200: Session },
      refusal: 'The session has grown too long, and is no longer kept.',
      answer: async ({ world }) => ok(await sessionOf(world, { toReview: toSessionReview })),
    }),
  ],
}
