import { Id } from '../../contract/conventions.ts'
import { recordNotFound } from '../../world/command-error.ts'
import { Overview, overviewOf } from '../../world/overview.ts'
import { defineRoute, idParameter, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

export const OVERVIEW_ROUTES: ControlRoutes = {
  tag: 'Overview',
  page: 'docs/console.md',
  description: 'An agency at a glance',
  routes: [
    defineRoute({
      id: 'getOverview',
      role: 'world',
      method: 'get',
      path: '/agencies/:id/overview',
      summary: "Shows the state of an agency's projects this month, and the next changes",
      description:
        'Covers the first 200 projects, as of now: the state of each, the progress of the reports of this month, the number of keywords on the first page of results in each of the last 13 months, the next ten changes by the passing of time alone, the end of the month, and the next change that a client sees. Positions are those of `/_sandbox/projects/{id}/positions`, for at most 20,000 active keywords.',
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
