import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { faultAdd } from '../../world/commands/fault-add.ts'
import { faultRemove } from '../../world/commands/fault-remove.ts'
import { faultSet } from '../../world/commands/fault-set.ts'
import { Fault } from '../../world/faults/fault.ts'
import type { FaultInput } from '../../world/faults/fault.ts'
import { FaultStatuses } from '../../world/faults/fault-status.ts'
import { FaultForms, listFaultForms } from '../../world/faults/fault-forms.ts'
import { created, defineCommandRoute, defineRoute, idParameter, noContent, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

export const FAULT_ROUTES: ControlRoutes = {
  tag: 'Faults',
  page: 'docs/faults.md',
  description: 'Errors, delays and broken responses',
  routes: [
    defineRoute({
      id: 'listFaults',
      role: 'world',
      method: 'get',
      path: '/faults',
      summary: 'Lists the armed faults, with the counts of each',
      description:
        'If several faults would replace a response, the first that is due does; delays add up.',
      responses: { 200: FaultStatuses },
      answer: ({ world }) => ok(world.faults),
    }),
    defineRoute({
      id: 'listFaultKinds',
      role: 'shared',
      method: 'get',
      path: '/faults/kinds',
      summary: 'Lists the kinds of faults, each with its fields as a JSON Schema',
      description: 'The list has everything that a form for faults needs.',
      responses: { 200: FaultForms },
      answer: () => ok(listFaultForms()),
    }),
    defineCommandRoute({
      id: 'addFault',
      role: 'world',
      method: 'post',
      path: '/faults',
      summary: 'Arms a fault in addition to those already armed',
      description:
        'The fault affects the requests that its endpoint, token, project and schedule select.',
      needsRoom: true,
      command: faultAdd,
      body: faultAdd.fields.fault,
      toCommand: ({ body }) => ({ type: 'fault.add', fault: body as FaultInput }),
      toResponse: created,
      responses: { 201: faultAdd.result },
    }),
    defineCommandRoute({
      id: 'setFaults',
      role: 'world',
      method: 'put',
      path: '/faults',
      summary: 'Arms these faults, a list or a single one, in place of those already armed',
      description: 'An empty list disarms all.',
      needsRoom: true,
      command: faultSet,
      body: z.union([Fault, z.array(Fault)]),
      toCommand: ({ body }) => ({
        type: 'fault.set',
        faults: (Array.isArray(body) ? body : [body]) as FaultInput[],
      }),
    }),
    defineCommandRoute({
      id: 'clearFaults',
      role: 'world',
      method: 'delete',
      path: '/faults',
      summary: 'Disarms all faults',
      description: 'This includes the delay set with `--latency`, which a reset restores.',
      command: faultSet,
      toCommand: () => ({ type: 'fault.set', faults: [] }),
      toResponse: noContent,
      responses: { 204: null },
    }),
    defineCommandRoute({
      id: 'removeFault',
      role: 'world',
      method: 'delete',
      path: '/faults/:id',
      summary: 'Disarms a fault',
      description: 'Other faults stay armed and keep their counts.',
      params: { id: idParameter(Id.describe('The id of the fault')) },
      command: faultRemove,
      toCommand: ({ params: { id } }) => ({ type: 'fault.remove', id }),
      toResponse: noContent,
      responses: { 204: null },
    }),
  ],
}
