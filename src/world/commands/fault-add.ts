import { atPlace } from '../../contract/validation.ts'
import type { Path } from '../../contract/validation.ts'
import { CommandError } from '../command-error.ts'
import { FaultStatus } from '../faults/fault-status.ts'
import { Fault, resolveFault } from '../faults/fault.ts'
import type { FaultWithKind } from '../faults/faults.ts'
import { withKind } from '../faults/with-kind.ts'
import { longestDelay } from '../world-size.ts'
import type { WorldState } from '../world-state.ts'
import { defineCommand } from './command.ts'

export const faultAdd = defineCommand({
  type: 'fault.add',
  description: 'Arms a fault in addition to those already armed',
  fields: { fault: Fault },
  result: FaultStatus,
  adds: (_, { fault }) => ({ faults: 1, delayMs: longestDelay([fault]) }),
  prepare: (parts, { fault }) => ({
    apply: () => parts.state.faults.add(toArmedFault(fault, parts.state, ['fault'])),
  }),
})

/**
 * Resolves a fault for a world: replaces its token by the token's id, and its times by absolute ones.
 *
 * @param path Path of the fault in its command.
 *
 * @throws CommandError if its token, project or times are invalid.
 */
export function toArmedFault(
  fault: Fault,
  { records, clock }: WorldState,
  path: Path,
): FaultWithKind {
  const resolved = resolveFault(fault, { records: records.indexes, nowMs: clock.worldMs() })
  if ('value' in resolved) return withKind(resolved.value)
  throw new CommandError('invalid_command', atPlace(path, resolved.problems))
}
