import type { FaultKind } from './fault-kind.ts'
import { html } from './html.ts'
import { latency } from './latency.ts'
import { malformedJson } from './malformed-json.ts'
import { noAnswer } from './no-answer.ts'
import { reset } from './reset.ts'
import { slowBody } from './slow-body.ts'
import { status } from './status.ts'
import { truncatedBody } from './truncated-body.ts'

/** Every kind of fault, in the order of the documentation. */
export const FAULT_KINDS = [
  status,
  html,
  reset,
  noAnswer,
  latency,
  slowBody,
  truncatedBody,
  malformedJson,
] as const

const BY_KIND = new Map<string, FaultKind>(FAULT_KINDS.map((kind) => [kind.kind, kind]))

/** The kind of a validated fault. */
export function kindOf({ kind }: { kind: string }): FaultKind {
  const found = BY_KIND.get(kind)
  if (!found) throw new RangeError(`${kind} was not checked as a kind of fault.`)
  return found
}
