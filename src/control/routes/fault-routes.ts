import type { FaultInput } from '../fault.ts'
import { ok } from './route.ts'
import type { ControlRoute } from './route.ts'

/** What befalls answers. */
export const FAULT_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/faults',
    summary: 'The faults armed, how often each has fired, and whether it still can',
    answer: ({ world }) => ok(world.faults),
  },
  {
    method: 'post',
    path: '/faults',
    summary: 'Arms a fault beside those there are',
    answer: async ({ world }, { body }) => ({
      status: 201,
      body: await world.command({ type: 'fault.add', fault: body as FaultInput }),
    }),
  },
  {
    method: 'put',
    path: '/faults',
    summary: 'Arms these faults, a list or a single one, in place of those there are',
    answer: async ({ world }, { body }) => {
      const faults = (Array.isArray(body) ? body : [body]) as FaultInput[]
      return ok(await world.command({ type: 'fault.set', faults }))
    },
  },
  {
    method: 'delete',
    path: '/faults',
    summary: 'Disarms all faults',
    answer: async ({ world }) => {
      await world.command({ type: 'fault.set', faults: [] })
      return { status: 204 }
    },
  },
  {
    method: 'delete',
    path: '/faults/:id',
    summary: 'Disarms a fault',
    answer: async ({ world }, { params: { id = '' } }) => {
      await world.command({ type: 'fault.remove', id: Number(id) })
      return { status: 204 }
    },
  },
]
