import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { FaultStatus } from '../../world/faults/fault-status.ts'
import { Fault } from '../../world/faults/fault.ts'
import type { FaultInput } from '../../world/faults/fault.ts'
import { idOf, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

const FaultStatuses = z.array(FaultStatus)

export const FAULT_ROUTES: ControlRoutes = {
  tag: 'Faults',
  description: 'What befalls answers',
  routes: [
    {
      id: 'listFaults',
      method: 'get',
      path: '/faults',
      summary: 'The faults armed, how often each has fired, and whether it still can',
      answers: { 200: FaultStatuses },
      answer: ({ world }) => ok(world.faults),
    },
    {
      id: 'addFault',
      method: 'post',
      path: '/faults',
      summary: 'Arms a fault beside those there are',
      body: Fault,
      answers: { 201: FaultStatus },
      answer: async ({ world }, { body }) => ({
        status: 201,
        body: await world.command({ type: 'fault.add', fault: body as FaultInput }),
      }),
    },
    {
      id: 'setFaults',
      method: 'put',
      path: '/faults',
      summary: 'Arms these faults, a list or a single one, in place of those there are',
      body: z.union([Fault, z.array(Fault)]),
      answers: { 200: FaultStatuses },
      answer: async ({ world }, { body }) => {
        const faults = (Array.isArray(body) ? body : [body]) as FaultInput[]
        return ok(await world.command({ type: 'fault.set', faults }))
      },
    },
    {
      id: 'clearFaults',
      method: 'delete',
      path: '/faults',
      summary: 'Disarms all faults',
      answers: { 204: null },
      answer: async ({ world }) => {
        await world.command({ type: 'fault.set', faults: [] })
        return { status: 204 }
      },
    },
    {
      id: 'removeFault',
      method: 'delete',
      path: '/faults/:id',
      summary: 'Disarms a fault',
      params: { id: Id.describe('The id of the fault') },
      answers: { 204: null },
      answer: async ({ world }, request) => {
        await world.command({ type: 'fault.remove', id: idOf(request) })
        return { status: 204 }
      },
    },
  ],
}
