import { bytesOf } from '../../contract/plain-size.ts'
import { FaultStatuses } from '../faults/fault-status.ts'
import { SavedFaults } from '../faults/saved-faults.ts'
import { toArmedFault } from './arm-fault.ts'
import { defineCommand } from './command.ts'

export const faultRestore = defineCommand({
  type: 'fault.restore',
  description: 'Arms faults again that were disarmed, with their ids and what they have counted',
  fields: { faults: SavedFaults.shape.armed.max(1000) },
  result: FaultStatuses,
  adds: (_, { faults }) => ({ faults: faults.length, bytes: bytesOf(faults) }),
  prepare: (parts, { faults }) => ({
    apply: () =>
      parts.state.faults.rearm(
        faults.map(({ fault, ...counts }, index) => ({
          ...counts,
          ...toArmedFault(fault, parts.state, ['faults', index, 'fault']),
        })),
      ),
  }),
})
