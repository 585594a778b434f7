import { recordNotFound } from '../command-error.ts'
import { ok } from './route.ts'
import type { ControlRoute } from './route.ts'

/** Why the API answers as it does. */
export const EXPLAIN_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/explain/projects/:id',
    summary: 'Why latest and last-generated of a project are what they are, and when that changes',
    answer: ({ world }, { params: { id = '' } }) => {
      const explanation = /^\d{1,15}$/.test(id) ? world.explain(Number(id)) : undefined
      if (!explanation) throw recordNotFound(`There is no project ${id}.`)
      return ok(explanation)
    },
  },
]
