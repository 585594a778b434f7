import { PolicySettings } from '../../contract/policies.ts'
import { listGaps } from '../gap-list.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoute } from './route.ts'

/** What the specification leaves open. */
export const POLICY_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/policies',
    summary: 'Every gap of the specification, its options, and what is set',
    answer: ({ world }) => ok(listGaps(world.policies)),
  },
  defineRoute({
    method: 'patch',
    path: '/policies',
    summary: 'Sets policies, by name or id, until a reset',
    body: PolicySettings,
    answer: async ({ world }, { body }) => {
      await world.command({ type: 'policy.set', policies: body })
      return ok(listGaps(world.policies))
    },
  }),
]
