import { sessionOf } from '../../session/session-recorder.ts'
import { Session } from '../../session/session.ts'
import { ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

export const SESSION_ROUTES: ControlRoutes = {
  tag: 'Session',
  description: 'What a bug report carries',
  routes: [
    {
      id: 'getSession',
      method: 'get',
      path: '/session',
      summary:
        'All that was asked and told since the world began, to be played again; no bearer values',
      answers: { 200: Session },
      refusal: 'The session has grown too long, and is no longer kept.',
      answer: async ({ world }) => ok(await sessionOf(world)),
    },
  ],
}
