/** Rehearses forty days or a year of a client in seconds, and judges the client. For test suites, and for scripts on Node. */
export { plan, rehearse } from './testing/rehearse/rehearse-client.ts'
export type { RehearsalReport } from './testing/rehearse/rehearse-client.ts'
export type { Plan } from './review/review.ts'
export { formatReport } from './testing/rehearse/format-report.ts'
export type {
  ClientState,
  KeptRun,
  RehearsedClient,
  RehearseOptions,
  ClientContext,
} from './testing/rehearse/client-options.ts'
export { RehearsalError } from './testing/rehearse/client-options.ts'
export type { RehearsalErrorCode } from './testing/rehearse/client-options.ts'
