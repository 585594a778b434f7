import { Id } from '../../contract/conventions.ts'
import { Explanation } from '../../contract/explanation.ts'
import { recordNotFound } from '../../world/command-error.ts'
import { ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

export const EXPLAIN_ROUTES: ControlRoutes = {
  tag: 'Explanation',
  description: 'Why the API answers as it does',
  routes: [
    {
      id: 'explainProject',
      method: 'get',
      path: '/explain/projects/:id',
      summary:
        'Why latest and last-generated of a project are what they are, and when that changes',
      params: { id: Id.describe('The id of the project') },
      answers: { 200: Explanation },
      answer: ({ world }, { params: { id = '' } }) => {
        const explanation = /^\d{1,15}$/.test(id) ? world.explain(Number(id)) : undefined
        if (!explanation) throw recordNotFound(`There is no project ${id}.`)
        return ok(explanation)
      },
    },
  ],
}
