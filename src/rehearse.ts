/** A year of a client in seconds, judged: for test suites, or any script on Node. */
export { plan, rehearse } from './testing/rehearse/rehearse.ts'
export type { RehearsalReport } from './testing/rehearse/rehearse.ts'
export type { Plan } from './review/rehearsal.ts'
export { formatReport } from './testing/rehearse/format-report.ts'
export type {
  ClientState,
  KeptRun,
  RehearsedClient,
  RehearseOptions,
  ClientContext,
} from './testing/rehearse/options.ts'
export { RehearsalError } from './testing/rehearse/rehearsal-error.ts'
export type { RehearsalErrorCode } from './testing/rehearse/rehearsal-error.ts'
