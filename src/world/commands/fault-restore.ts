import { invalidCommand } from '../command-error.ts'
import { FaultStatuses, SavedFaults } from '../faults/fault-status.ts'
import type { Faults } from '../faults/faults.ts'
import { longestDelay } from '../world-size.ts'
import { toArmedFault } from './fault-add.ts'
import { defineCommand } from './command.ts'

export const faultRestore = defineCommand({
  type: 'fault.restore',
  description: 'Rearms disarmed faults, with their ids and counts',
  fields: { faults: SavedFaults.shape.armed.max(1000) },
  result: FaultStatuses,
  adds: (_, { faults }) => ({
    faults: faults.length,
    delayMs: longestDelay(faults.map(({ fault }) => fault)),
  }),
  prepare: (parts, { faults }) => ({
    apply: () => {
      refuseArmed(faults, parts.state.faults)
      return parts.state.faults.rearm(
        faults.map(({ fault, ...counts }, index) => ({
          ...counts,
          ...toArmedFault(fault, parts.state, ['faults', index, 'fault']),
        })),
      )
    },
  }),
})

/** @throws CommandError for an id that is already armed, or listed twice. */
function refuseArmed(faults: readonly { id: number }[], armed: Faults): void {
  const taken = new Set(armed.list().map(({ id }) => id))
  for (const [index, { id }] of faults.entries()) {
    if (taken.has(id)) {
      const message = `Fault ${id} is armed. Leave it out.`
      throw invalidCommand({ path: ['faults', index, 'id'], message })
    }
    taken.add(id)
  }
}
