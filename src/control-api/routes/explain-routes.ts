import { Id } from '../../contract/conventions.ts'
import { Explanation } from '../../contract/explanation.ts'
import { recordNotFound } from '../../world/command-error.ts'
import { defineRoute, idParameter, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

export const EXPLAIN_ROUTES: ControlRoutes = {
  tag: 'Explanation',
  description: 'Why the API answers as it does',
  routes: [
    defineRoute({
      id: 'explainProject',
      method: 'get',
      path: '/explain/projects/:id',
      summary:
        'Explains why latest and last-generated of a project are what they are, and when that changes',
      description:
        'Every report of the project is listed, with a sentence on why each endpoint selects it or not.',
      params: { id: idParameter(Id.describe('The id of the project'), toMessage) },
      responses: { 200: Explanation },
      answer: ({ world }, { params: { id } }) => {
        const explanation = world.explain(id)
        if (explanation) return ok(explanation)
        throw recordNotFound(toMessage(id))
      },
    }),
  ],
}

function toMessage(id: string | number): string {
  return `There is no project ${id}.`
}
