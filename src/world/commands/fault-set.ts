import { z } from 'zod'
import { Fault } from '../faults/fault.ts'
import { FaultStatuses } from '../faults/fault-status.ts'
import { longestDelay } from '../world-size.ts'
import { toArmedFault } from './fault-add.ts'
import { defineCommand } from './command.ts'

const MAXIMUM_FAULTS = 1000

export const faultSet = defineCommand({
  type: 'fault.set',
  description: 'Arms these faults in place of those already armed; an empty list disarms all',
  fields: { faults: z.array(Fault).max(MAXIMUM_FAULTS) },
  result: FaultStatuses,
  frees: ({ faults }) => faults.length === 0,
  adds: ({ state }, { faults }) => ({
    faults: faults.length - state.faults.count,
    delayMs: longestDelay(faults) - longestDelay(state.faults.list()),
  }),
  prepare: (parts, { faults }) => ({
    apply: () =>
      parts.state.faults.replace(
        faults.map((fault, index) => toArmedFault(fault, parts.state, ['faults', index])),
      ),
  }),
})
