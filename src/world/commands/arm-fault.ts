import { atPlace } from '../../contract/validation.ts'
import type { Path } from '../../contract/validation.ts'
import { CommandError } from '../command-error.ts'
import { resolveFault } from '../faults/fault.ts'
import type { Fault } from '../faults/fault.ts'
import type { FaultWithKind } from '../faults/faults.ts'
import { withKind } from '../faults/with-kind.ts'
import type { WorldState } from '../world-state.ts'

/**
 * A fault as it is armed in a world.
 *
 * @param path Where the fault is in its command.
 * @throws CommandError for a token or a project that does not exist.
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
