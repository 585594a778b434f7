import { z } from 'zod'
import { GapStatus } from '../../contract/gap-status.ts'
import { listGaps } from '../../contract/list-gaps.ts'
import { PolicySettings } from '../../contract/policy-settings.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

const GapStatuses = z.array(GapStatus)

export const POLICY_ROUTES: ControlRoutes = {
  tag: 'Policies',
  description: 'What the specification leaves open',
  routes: [
    defineRoute({
      id: 'listPolicies',
      role: 'world',
      method: 'get',
      path: '/policies',
      summary: 'Lists every gap of the specification, its options, and what is set',
      description:
        'A gap with options is a policy. Any other has one behaviour, which cannot be set.',
      responses: { 200: GapStatuses },
      answer: ({ world }) => ok(listGaps(world.policies)),
    }),
    defineRoute({
      id: 'setPolicies',
      role: 'world',
      method: 'patch',
      path: '/policies',
      summary: 'Sets policies, by name or id, until a reset',
      description: 'Policies that the body does not name stay as they are.',
      body: PolicySettings,
      responses: { 200: GapStatuses },
      answer: async ({ world }, { body }) => {
        await world.apply({ type: 'policy.set', policies: body })
        return ok(listGaps(world.policies))
      },
    }),
  ],
}
