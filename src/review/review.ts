import { z } from 'zod'
import { Id } from '../contract/conventions.ts'
import { ReportNumber } from '../contract/report.ts'
import { WindowLimit } from '../contract/token.ts'
import { SEVERITIES, VERDICTS } from '../contract/verdicts.ts'
import { CATEGORIES } from './check.ts'
import { CHECK_IDS } from './checks/index.ts'
import { REHEARSAL_CHECK_IDS } from './requirements.ts'

/** A planned run of a rehearsal. */
export const PlannedRun = z.strictObject({
  number: z.int().positive().describe('Number of the run, from 1'),
  at: z.string().describe('Start of the run, by the world clock, ISO 8601'),
  kind: z
    .enum(['calm', 'fault', 'outage'])
    .describe(
      '`calm` without disturbances, `fault` with one or more, `outage` if something cannot be read for the whole run',
    ),
  trouble: z
    .string()
    .nullable()
    .describe('The disturbance of the run, as a phrase; null in a calm run'),
  events: z.array(z.string()).describe('Events before or during the run, each as a phrase'),
})
export type PlannedRun = z.infer<typeof PlannedRun>

/** Plan of a rehearsal: its period, its runs, and the events and disturbances that it could not include. */
export const Plan = z.strictObject({
  seed: z.string(),
  profile: z.string(),
  start: z.string().describe('Start of the first run, by the world clock, ISO 8601'),
  every: z.string().describe('Interval between runs, as an ISO 8601 duration'),
  for: z.string().describe('Duration of the rehearsal, as an ISO 8601 duration'),
  runs: z.array(PlannedRun),
  lacks: z
    .array(z.strictObject({ event: z.string(), reason: z.string() }))
    .describe('Events and disturbances that the rehearsal could not have, each with the reason'),
})
export type Plan = z.infer<typeof Plan>

/** Endings of a run: the client finished (`done`), failed or was killed (`failed`), or did not end in time (`timeout`). */
export const ENDINGS = ['done', 'failed', 'timeout'] as const

/** A run of a rehearsal, with its result. */
export const RehearsedRun = PlannedRun.extend({
  ended: z
    .enum(ENDINGS)
    .describe('`failed` if the run ended in an error or was killed, `timeout` if it did not end'),
  message: z
    .string()
    .optional()
    .describe('The error of the client, or the reason why it did not end'),
  exit: z.int().optional().describe('The exit code of a command, by the rules of `exec`'),
  requests: z.int(),
  findings: z.array(z.string()).describe('The ids of the checks that found something in it'),
})
export type RehearsedRun = z.infer<typeof RehearsedRun>

/** A report that was fetched, but not in the first run in which it could have been. */
export const Delay = z.strictObject({
  project: Id,
  report_number: ReportNumber,
  report_id: Id,
  runs: z.int().positive().describe('Number of earlier runs in which it could have been fetched'),
  ms: z
    .int()
    .describe(
      'Time from the first of those runs to the fetch of its content, in milliseconds of the world clock',
    ),
})
export type Delay = z.infer<typeof Delay>

const Fits = z.int().nonnegative().nullable()

/** Number of projects that the token's rate limits allow, estimated from the run with the most requests. */
export const Budget = z.strictObject({
  requests: z.int().positive().describe('Maximum number of requests in a run'),
  projects: z.int().positive().describe('Number of projects of the token at the end of that run'),
  limits: z
    .strictObject({ per_minute: WindowLimit, per_hour: WindowLimit })
    .describe('Number of requests allowed'),
  fits: z
    .strictObject({
      per_minute: Fits.describe('null if such a run does not fit into a minute'),
      per_hour: Fits,
    })
    .describe('Room for projects within each limit; null without a limit'),
})
export type Budget = z.infer<typeof Budget>

/** Options that reproduce a finding, together with the other options of the rehearsal. */
export const Reproduction = z.strictObject({
  seed: z.string(),
  start: z.string(),
  until: z.int().describe('The number of the last run'),
})
export type Reproduction = z.infer<typeof Reproduction>

/** Values of `expect`: all reports are to be fetched, or only those completed after the start of the first run. */
export const EXPECTATIONS = ['all', 'new'] as const
export type ExpectedReports = (typeof EXPECTATIONS)[number]

/** The reports that a rehearsal expected to be fetched. */
export const Expected = z.strictObject({
  what: z.enum(EXPECTATIONS),
  by: z
    .enum(['option', 'first-run'])
    .describe('`first-run` if it follows from the first run of the client'),
  known: z.int().nonnegative().describe('Reports that were complete before the first run'),
})
export type Expected = z.infer<typeof Expected>

/** The fields that a rehearsal adds to a review. */
export interface Rehearsed {
  plan: Plan
  expect: Expected
  /**
   * Untested situations: events and disturbances that the plan could not include, and kinds of disturbances that no
   * request of the client met.
   */
  lacks: Plan['lacks']
  runs: RehearsedRun[]
  delays: Delay[]
  /** True if the rehearsal was stopped before its last run, and so cannot pass; omitted otherwise. */
  stopped?: true
  /** Omitted if the client has not passed, if its token has no rate limit, or if its runs do not allow an estimate. */
  budget?: Budget
}

const Moment = z.string().nullable().describe('By the world clock, ISO 8601; null if unknown')

const Session = z.int().positive().describe('Number of its session, from 1')

const Finding = z.strictObject({
  session: Session,
  at: z.string().describe('Arrival of the last of the requests, by the rate clock, ISO 8601'),
  requests: z
    .array(
      z.strictObject({
        sequence: z.int().describe('Number of the request in the journal'),
        method: z.string(),
        path: z.string().describe('Path with its query, cut off after 300 characters'),
        status: z.int().describe('0 if no response arrived'),
      }),
    )
    .describe('The requests that show the mistake, at most 10, without bearer values'),
  message: z.string().describe('The mistake of the client, in a sentence'),
  instead: z.string().describe('The remedy, in a sentence'),
  waited_ms: z
    .int()
    .optional()
    .describe(
      'In `retry-after` and `backoff`: the longest pause between the requests, in milliseconds',
    ),
  run: z.int().positive().optional().describe('In a rehearsal: the number of the run'),
  reproduce: Reproduction.optional().describe('In a rehearsal: the options that reproduce it'),
  reports: z
    .int()
    .positive()
    .optional()
    .describe('In `undelivered`: the number of reports that it covers'),
})

export type Finding = z.infer<typeof Finding>

/** The result of a check in a review. */
export const CheckResult = z.strictObject({
  id: z.enum([...CHECK_IDS, ...REHEARSAL_CHECK_IDS]),
  category: z.enum(CATEGORIES),
  severity: z
    .enum(SEVERITIES)
    .describe(
      'Severity of the worst finding, or without findings of the worst possible. Only an error fails the review; warnings and notices are shown',
    ),
  section: z.string().describe('The section of the specification that the check rests on'),
  result: z
    .enum(['passed', 'failed', 'not-exercised', 'unsettled'])
    .describe(
      '`not-exercised` if the client never met the situation; `unsettled`, without any claim, if a reset ended each session before the client could make up for the findings',
    ),
  exercise: z.string().describe('A way to bring the client into the situation, in a sentence'),
  findings: z
    .array(Finding)
    .describe(
      'At most 20 findings of a session, and 5 of each of the first 20 sessions that a reset ended; if there were more, the last finding states their number',
    ),
  total: z
    .int()
    .positive()
    .optional()
    .describe('Number of findings, if there were more than are listed; omitted otherwise'),
})
export type CheckResult = z.infer<typeof CheckResult>

export type JudgedCheck = CheckResult & {
  /** In a rehearsal, the numbers of the runs with findings. */
  runs?: number[]
  /** True for a failure that a waiver excuses. */
  waived?: true
}

/** A mistake of the client, reported once: its first finding and its consequences. */
export const Cause = z.strictObject({
  check: CheckResult.shape.id,
  finding: Finding.describe('The first finding of the mistake'),
  runs: z
    .array(z.int().positive())
    .describe('In a rehearsal: the numbers of the runs that show the mistake'),
  consequences: z
    .array(z.strictObject({ check: CheckResult.shape.id, findings: z.array(Finding) }))
    .describe('Findings of other checks that follow from the mistake'),
})
export type Cause = z.infer<typeof Cause>

/** A finished report, and its delivery to the client. */
export const LedgerEntry = z.strictObject({
  session: Session,
  project: Id.describe('The id of the project'),
  report_number: ReportNumber,
  report_id: Id.describe('The id of the report; a regenerated one has a new id'),
  finished_at: Moment.describe(
    'Time of completion, by the world clock; null if it was completed from the start',
  ),
  first_fetched_at: Moment.describe(
    'Time at which the client first fetched its content after completion, by the world clock; null for never',
  ),
  fetches: z.int().describe('Number of times that the client fetched its content after completion'),
  state: z
    .enum(['delivered', 'twice', 'late', 'stale', 'unfinished', 'missing', 'unsettled'])
    .describe(
      'The worst that applies: `missing`: its content was never fetched; `unsettled`: not fetched before a reset ended the session; `unfinished`: fetched before the report was ever seen completed; `stale`: not fetched again after the report was regenerated; `late`: first fetched after `date_to_send_to_client`; `twice`: fetched again unchanged; or `delivered`',
    ),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>

/** A review of a client by its requests in a session, or in all sessions since the world was created. */
export const Review = z.strictObject({
  version: z.literal(1),
  verdict: z
    .enum(VERDICTS)
    .describe(
      '`failed` if a check of severity `error` failed, `nothing-read` if no request got a 200, `nothing-asked` without any request',
    ),
  requests: z
    .int()
    .describe(
      'Number of reviewed requests: all except preflights of browsers and requests of the console',
    ),
  answered: z.boolean().describe('True if any of the requests got a 200'),
  sessions: z
    .int()
    .positive()
    .describe('Number of reviewed sessions: 1 without `since`, otherwise those with requests'),
  notice: z
    .string()
    .optional()
    .describe(
      'Limits of the review, in sentences, such as requests that the checks of this release did not review; omitted if there are none',
    ),
  checks: z.array(CheckResult),
  causes: z
    .array(Cause)
    .describe(
      'The mistakes of the client, each once, the most serious first and among these the widest',
    ),
  ledger: z
    .array(LedgerEntry)
    .describe('Every finished report of the given projects, or of those that the client read'),
})
export interface Review extends z.infer<typeof Review> {}

const Required = z.strictObject({
  what: z.string(),
  met: z.boolean(),
  message: z.string().describe('The result of the requirement, in a sentence'),
  exercise: z.string().describe('A way to meet the requirement, in a sentence'),
})
export type Required = z.infer<typeof Required>

/** A review with the results of its requirements, which affect its verdict. */
export const RequiredReview = Review.extend({
  required: z.array(Required).optional().describe('Requirements, each with its result'),
})
export type RequiredReview = z.infer<typeof RequiredReview>
