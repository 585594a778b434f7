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
  number: z.int().positive().describe('Counted from 1'),
  at: z.string().describe('When it begins, by the world clock, ISO 8601'),
  kind: z
    .enum(['calm', 'fault', 'outage'])
    .describe(
      'Whether nothing is in the way of the client, something is, or something cannot be read in all of it',
    ),
  trouble: z
    .string()
    .nullable()
    .describe('What is in the way of the client, as a phrase; null on a calm run'),
  events: z.array(z.string()).describe('All that happens before or in it, each as a phrase'),
})
export type PlannedRun = z.infer<typeof PlannedRun>

/** Plan of a rehearsal: its period, its runs, and the events that its world does not allow. */
export const Plan = z.strictObject({
  seed: z.string(),
  profile: z.string(),
  start: z.string().describe('When the first run begins, by the world clock, ISO 8601'),
  every: z.string().describe('How far the runs are apart, as an ISO 8601 duration'),
  for: z.string().describe('How long the rehearsal is, as an ISO 8601 duration'),
  runs: z.array(PlannedRun),
  lacks: z
    .array(z.strictObject({ event: z.string(), reason: z.string() }))
    .describe('What the world does not allow, and why'),
})
export type Plan = z.infer<typeof Plan>

/** Endings of a run: the client finished, reported that something is missing, or did not end. */
export const ENDINGS = ['done', 'failed', 'timeout'] as const

/** A run of a rehearsal, with its result. */
export const RehearsedRun = PlannedRun.extend({
  ended: z
    .enum(ENDINGS)
    .describe('`failed` where the client threw, `timeout` where it did not end'),
  message: z.string().optional().describe('What the client threw, or why it did not end'),
  exit: z.int().optional().describe('The exit code of a command, by the rules of `exec`'),
  requests: z.int(),
  findings: z.array(z.string()).describe('The ids of the checks that found something in it'),
})
export type RehearsedRun = z.infer<typeof RehearsedRun>

/** A report that was not fetched in the first run in which it could be. */
export const Delay = z.strictObject({
  project: Id,
  report_number: ReportNumber,
  report_id: Id,
  runs: z.int().positive().describe('How many runs in which it could be fetched passed before'),
  ms: z.int().describe('From the first of them to its content, in milliseconds of the world clock'),
})
export type Delay = z.infer<typeof Delay>

const Fits = z.int().nonnegative().nullable()

/** Room for projects within the rate limits of the token, in proportion to the run with the most requests. */
export const Budget = z.strictObject({
  requests: z.int().positive().describe('The most requests of a run'),
  projects: z.int().positive().describe('Projects of the token at its end'),
  limits: z
    .strictObject({ per_minute: WindowLimit, per_hour: WindowLimit })
    .describe('Requests allowed'),
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

/** Values of `expect`: a client fetches all reports, or only those that are completed after its first run. */
export const EXPECTATIONS = ['all', 'new'] as const
export type ExpectedReports = (typeof EXPECTATIONS)[number]

/** The reports that a rehearsal expected to be fetched. */
export const Expected = z.strictObject({
  what: z.enum(EXPECTATIONS),
  by: z
    .enum(['option', 'first-run'])
    .describe('`first-run` where it follows from what the client did in its first run'),
  known: z.int().nonnegative().describe('Reports that were complete before the first run'),
})
export type Expected = z.infer<typeof Expected>

/** Parts that a rehearsal adds to a review. */
export interface Rehearsed {
  plan: Plan
  expect: Expected
  /** Untested situations: events that the world does not allow, and kinds of trouble that no request of the client met. */
  lacks: Plan['lacks']
  runs: RehearsedRun[]
  delays: Delay[]
  /** True if the rehearsal was stopped from outside and runs were left out, so that it has not passed. */
  stopped?: true
  /** Omitted if the client has not passed, or if its runs say nothing about growth. */
  budget?: Budget
}

const Moment = z
  .string()
  .nullable()
  .describe('By the world clock, ISO 8601; null where it is unknown')

const Session = z.int().positive().describe('Its session, counted from 1')

/** A mistake of the client. */
const Finding = z.strictObject({
  session: Session,
  at: z.string().describe('When the last of the requests arrived, by the rate clock, ISO 8601'),
  requests: z
    .array(
      z.strictObject({
        sequence: z.int().describe('Its number in the journal'),
        method: z.string(),
        path: z.string().describe('With its query, cut off after 300 characters'),
        status: z.int().describe('0 where no response arrived'),
      }),
    )
    .describe('The requests that show it, without bearer values: at most 10'),
  message: z.string().describe('What the client did, in a sentence'),
  instead: z.string().describe('What to do instead, in a sentence'),
  waited_ms: z
    .int()
    .optional()
    .describe('In `retry-after` and `backoff`: the longest pause between them, in milliseconds'),
  run: z.int().positive().optional().describe('In a rehearsal: the number of its run'),
  reproduce: Reproduction.optional().describe('In a rehearsal: how to have the same again'),
  reports: z.int().positive().optional().describe('In `undelivered`: how many reports it is about'),
})

export type Finding = z.infer<typeof Finding>

/** The result of one kind of mistake in a review. */
export const CheckResult = z.strictObject({
  id: z.enum([...CHECK_IDS, ...REHEARSAL_CHECK_IDS]),
  category: z.enum(CATEGORIES),
  severity: z
    .enum(SEVERITIES)
    .describe(
      'That of its worst finding, or of any that it could have. Only an error fails the review; a warning and a notice are shown',
    ),
  section: z.string().describe('The section of the specification that it rests on'),
  result: z
    .enum(['passed', 'failed', 'not-exercised', 'unsettled'])
    .describe(
      '`not-exercised` where the client never met the situation, `unsettled` where a reset ended each session before it could make up for what was found: nothing is claimed then',
    ),
  exercise: z.string().describe('How to have the client meet the situation, in a sentence'),
  findings: z
    .array(Finding)
    .describe(
      'At most 20 of a session, and 5 of each of the first 20 that a reset ended; where there were more, the last one says how many',
    ),
})
export type CheckResult = z.infer<typeof CheckResult>

/** A check as it counts in a run. */
export type JudgedCheck = CheckResult & {
  /** In a rehearsal: the numbers of the runs with findings. */
  runs?: number[]
  /** True for a failure that a waiver lets pass. */
  waived?: true
}

/** A mistake of the client, reported once: its first finding and its consequences. */
export const Cause = z.strictObject({
  check: CheckResult.shape.id,
  finding: Finding.describe('The first of its findings'),
  runs: z
    .array(z.int().positive())
    .describe('In a rehearsal: the numbers of the runs that show it'),
  consequences: z
    .array(z.strictObject({ check: CheckResult.shape.id, findings: z.array(Finding) }))
    .describe('The findings of other checks that follow from it'),
})
export type Cause = z.infer<typeof Cause>

/** A finished report, and its delivery to the client. */
export const LedgerEntry = z.strictObject({
  session: Session,
  project: Id.describe('The id of the project'),
  report_number: ReportNumber,
  report_id: Id.describe('The id of the report; a regenerated one has a new id'),
  finished_at: Moment.describe(
    'When it was completed, by the world clock; null where it was completed from the start',
  ),
  first_fetched_at: Moment.describe(
    'When the client first got its content once it was completed, by the world clock; null for never',
  ),
  fetches: z.int().describe('How often the client got its content once it was completed'),
  state: z
    .enum(['delivered', 'twice', 'late', 'stale', 'unfinished', 'missing', 'unsettled'])
    .describe(
      'The worst that happened: `missing` its content was never fetched, `unsettled` nor was it before a reset ended the session, `unfinished` it was fetched before the report was ever seen completed, `stale` only the content from before it was regenerated was fetched, `late` it was first fetched after `date_to_send_to_client`, `twice` it was fetched again unchanged',
    ),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>

/** A review of a client by its requests in a session, or in all sessions since the world was created. */
export const Review = z.strictObject({
  version: z.literal(1),
  verdict: z
    .enum(VERDICTS)
    .describe(
      '`failed` where a check of severity `error` failed, `nothing-read` where no request got a 200, `nothing-asked` without a request',
    ),
  requests: z
    .int()
    .describe(
      'How many requests were reviewed: all but preflights of browsers, and those that the console has sent',
    ),
  answered: z.boolean().describe('Whether any of them got a 200'),
  sessions: z
    .int()
    .positive()
    .describe(
      'How many sessions they were in: 1 without `since`, and those with requests otherwise',
    ),
  notice: z
    .string()
    .optional()
    .describe('Where not every request is reviewed by the checks of this release: which, and why'),
  checks: z.array(CheckResult),
  causes: z
    .array(Cause)
    .describe('Its mistakes, each once: the most serious first, and of these the widest'),
  ledger: z
    .array(LedgerEntry)
    .describe('Every finished report of the projects that were read or are given'),
})
export interface Review extends z.infer<typeof Review> {}

/** A requirement, and the result. */
const Required = z.strictObject({
  what: z.string(),
  met: z.boolean(),
  message: z.string().describe('What the review shows, in a sentence'),
  exercise: z.string().describe('How to meet it, in a sentence'),
})
export type Required = z.infer<typeof Required>

/** A review with the results of its requirements, which count towards its verdict. */
export const RequiredReview = Review.extend({
  required: z.array(Required).optional().describe('Whether each requirement is met'),
})
export type RequiredReview = z.infer<typeof RequiredReview>
