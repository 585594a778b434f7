import type { ArmedFault } from './fault.ts'
import type { FaultKind } from './fault-kind.ts'
import type { FaultWithKind } from './faults.ts'
import { FAULT_KINDS } from './index.ts'

const BY_KIND = new Map<string, FaultKind>(FAULT_KINDS.map((kind) => [kind.kind, kind]))

export function withKind(fault: ArmedFault): FaultWithKind {
  const kind = BY_KIND.get(fault.kind)
  if (!kind) throw new RangeError(`${fault.kind} was not checked as a kind of fault.`)
  return { fault, kind }
}
