import { z } from 'zod'
import { bytesOf } from '../../contract/plain-size.ts'
import { atPlace } from '../../contract/validation.ts'
import type { Path } from '../../contract/validation.ts'
import { CommandError } from '../command-error.ts'
import { Fault, resolveFault } from '../faults/fault.ts'
import { FaultStatus, FaultStatuses } from '../faults/fault-status.ts'
import type { FaultWithKind } from '../faults/faults.ts'
import { withKind } from '../faults/with-kind.ts'
import type { WorldState } from '../world-state.ts'
import { defineCommand } from './command.ts'

export const faultAdd = defineCommand({
  type: 'fault.add',
  description: 'Arms a fault in addition to those that are armed',
  fields: { fault: Fault },
  result: FaultStatus,
  adds: () => ({ faults: 1 }),
  prepare: (parts, { fault }) => {
    parts.options.requireRoom(bytesOf(fault))
    return {
      apply: () => parts.state.faults.add(toArmedFault(fault, parts.state, ['fault'])),
    }
  },
})

const MAXIMUM_FAULTS = 1000

export const faultSet = defineCommand({
  type: 'fault.set',
  description: 'Arms these faults in place of those that are armed; none for an empty list',
  fields: { faults: z.array(Fault).max(MAXIMUM_FAULTS) },
  result: FaultStatuses,
  adds: ({ faults }, world) => ({ faults: faults.length - world.faults.length }),
  prepare: (parts, { faults }) => {
    parts.options.requireRoom(bytesOf(faults) - parts.state.faults.memory.bytes)
    return {
      apply: () =>
        parts.state.faults.replace(
          faults.map((fault, index) => toArmedFault(fault, parts.state, ['faults', index])),
        ),
    }
  },
})

export const faultRemove = defineCommand({
  type: 'fault.remove',
  description: 'Disarms a fault',
  fields: { id: z.int().describe('The id of the fault') },
  result: FaultStatus,
  prepare: (parts, { id }) => ({ apply: () => parts.state.faults.remove(id) }),
})

/**
 * A fault as it is armed in a world.
 *
 * @param path Where the fault is in its command.
 * @throws CommandError for a token or a project that does not exist.
 */
function toArmedFault(fault: Fault, { records, clock }: WorldState, path: Path): FaultWithKind {
  const resolved = resolveFault(fault, { records: records.indexes, nowMs: clock.worldMs() })
  if ('value' in resolved) return withKind(resolved.value)
  throw new CommandError('invalid_command', atPlace(path, resolved.problems))
}
