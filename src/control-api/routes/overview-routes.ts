import { Id } from '../../contract/conventions.ts'
import { recordNotFound } from '../../world/command-error.ts'
import { Overview, overviewOf } from '../../world/overview.ts'
import { defineRoute, idParameter, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

export const OVERVIEW_ROUTES: ControlRoutes = {
  tag: 'Overview',
  page: 'docs/console.md',
  description: 'An agency in one look',
  routes: [
    defineRoute({
      id: 'getOverview',
      role: 'world',
      method: 'get',
      path: '/agencies/:id/overview',
      summary: 'Shows how the projects of an agency are doing this month, and what happens next',
      description:
        'It is about the first 200 projects, as they are now: how each is doing, how far the reports of this month have come, how many keywords stood on the first page of results in each of the last 13 months, the next ten changes by the passing of time alone, when the month ends, and the next change that a client sees. Positions are those of `/_sandbox/projects/{id}/positions`, of active keywords and at most 20,000 of them.',
      params: { id: idParameter(Id.describe('The id of the agency'), toMessage) },
      responses: { 200: Overview },
      answer: ({ world }, { params: { id } }) => {
        if (!world.records.get('agencies', id)) throw recordNotFound(toMessage(id))
        const { positionSource: source, policies } = world
        const overview = overviewOf({
          agency: id,
          nowMs: Date.parse(world.clock.now),
          source,
          policy: (name) => policies[name],
        })
        return ok(overview)
      },
    }),
  ],
}

function toMessage(id: string | number): string {
  return `There is no agency ${id}.`
}
