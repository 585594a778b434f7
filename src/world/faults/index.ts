import { html } from './html.ts'
import { latency } from './latency.ts'
import { malformedJson } from './malformed-json.ts'
import { noAnswer } from './no-answer.ts'
import { resetFault } from './reset.ts'
import { slowBody } from './slow-body.ts'
import { status } from './status.ts'
import { truncatedBody } from './truncated-body.ts'

/** Every kind of fault, in the order of the documentation. */
export const FAULT_KINDS = [
  status,
  html,
  resetFault,
  noAnswer,
  latency,
  slowBody,
  truncatedBody,
  malformedJson,
] as const
