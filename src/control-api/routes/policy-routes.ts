import { z } from 'zod'
import { GapStatus } from '../../contract/control-status.ts'
import { PolicySettings } from '../../contract/policy-settings.ts'
import { policySet } from '../../world/commands/policy-set.ts'
import { defineCommandRoute, defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

const GapStatuses = z.array(GapStatus)

export const POLICY_ROUTES: ControlRoutes = {
  tag: 'Policies',
  page: 'docs/policies.md',
  description: 'Questions that the specification leaves open',
  routes: [
    defineRoute({
      id: 'listPolicies',
      role: 'world',
      method: 'get',
      path: '/policies',
      summary: 'Lists every gap of the specification, with its options and the current setting',
      description:
        'A gap with options is a policy. Every other gap has one behaviour, which cannot be set.',
      responses: { 200: GapStatuses },
      answer: ({ world }) => ok(world.gaps),
    }),
    defineCommandRoute({
      id: 'setPolicies',
      role: 'world',
      method: 'patch',
      path: '/policies',
      summary: 'Sets policies, by name or id, until a reset',
      description: 'Policies that the body does not name stay as they are.',
      command: policySet,
      body: PolicySettings,
      skipsBodyValidation: false,
      toCommand: ({ body }) => ({ type: 'policy.set', policies: body as PolicySettings }),
      toResponse: (_, world) => ok(world.gaps),
      responses: { 200: GapStatuses },
    }),
  ],
}
