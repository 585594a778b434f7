import { latency, malformedJson, noAnswer, reset, slowBody, truncatedBody } from './delivery.ts'
import { html } from './html.ts'
import { status } from './status.ts'

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
