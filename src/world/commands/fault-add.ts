import { Fault } from '../faults/fault.ts'
import { FaultStatus } from '../faults/fault-status.ts'
import { longestDelay } from '../faults/longest-delay.ts'
import { toArmedFault } from './arm-fault.ts'
import { defineCommand } from './command.ts'

export const faultAdd = defineCommand({
  type: 'fault.add',
  description: 'Arms a fault in addition to those that are armed',
  fields: { fault: Fault },
  result: FaultStatus,
  adds: (_, { fault }) => ({ faults: 1, delayMs: longestDelay([fault]) }),
  prepare: (parts, { fault }) => ({
    apply: () => parts.state.faults.add(toArmedFault(fault, parts.state, ['fault'])),
  }),
})
