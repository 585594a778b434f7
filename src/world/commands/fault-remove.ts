import { z } from 'zod'
import { FaultStatus } from '../faults/fault-status.ts'
import { defineCommand } from './command.ts'

export const faultRemove = defineCommand({
  type: 'fault.remove',
  description: 'Disarms a fault',
  fields: { id: z.int().describe('The id of the fault') },
  result: FaultStatus,
  frees: () => true,
  prepare: (parts, { id }) => ({ apply: () => parts.state.faults.remove(id) }),
})
