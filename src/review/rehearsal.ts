import { z } from 'zod'
import { ReportNumber } from '../contract/report.ts'
import { Id } from '../contract/conventions.ts'
import { WindowLimit } from '../contract/token.ts'

/** One of the runs of a rehearsal as it was planned. */
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

/** What a rehearsal puts a client through. */
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

/** How a run ended: the client was done, said that something is missing, or did not end. */
export const ENDINGS = ['done', 'failed', 'timeout'] as const

/** One of the runs as it was. */
export const RehearsedRun = PlannedRun.extend({
  ended: z
    .enum(ENDINGS)
    .describe('`failed` where the client threw, `timeout` where it did not end'),
  message: z.string().optional().describe('What the client threw, or why it did not end'),
  exit: z.int().optional().describe('The exit code of a command, by the rules of `exec`'),
  requests: z.int(),
  flaky: z
    .literal(true)
    .optional()
    .describe('Whether it ended in another way when it was repeated'),
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

/** Over all calm runs. */
const Range = z.strictObject({
  lowest: z.int(),
  median: z.int(),
  highest: z.int(),
})

const Fits = z.strictObject({
  per_minute: z
    .int()
    .nullable()
    .describe('The most projects that a minute is enough for, so that the client never waits'),
  per_hour: z
    .int()
    .nullable()
    .describe(
      'The same for an hour; null where requests do not grow with projects, or there is no limit',
    ),
})

/** How many requests a run of the client takes, and how many projects its limits are enough for, by the calm runs. */
export const Budget = z.strictObject({
  limits: z
    .strictObject({ per_minute: WindowLimit, per_hour: WindowLimit })
    .describe('How many requests are allowed'),
  runs: z.int().positive().describe('The calm runs that ended well and sent requests'),
  requests: Range.describe('How many a run sent, without those that the rate limit refused'),
  projects: Range.describe('How many projects there were in a run'),
  counted: z
    .enum(['active', 'all'])
    .describe('Whether these are the active projects, or all: those that the requests grow with'),
  is_assumed: z
    .boolean()
    .describe(
      'Whether the runs had about the same number of projects, so that what grows with them is an assumption',
    ),
  is_exact: z
    .boolean()
    .describe('Whether the number of projects alone says what each run took, but for the heaviest'),
  typical: z
    .strictObject({
      reports_per_project: z
        .number()
        .describe('How many reports a run reads the content of, for each project'),
      fits: Fits,
    })
    .describe('The mean of all runs but the heaviest'),
  heaviest: z
    .strictObject({ requests: z.int(), projects: z.int(), reports: z.int(), fits: Fits })
    .describe(
      'The run that took most for its number of projects, and what fits if each one reads as many reports of each project',
    ),
  parts: z
    .array(
      z.strictObject({
        endpoint: z.string().describe('`GET /users`, or `Unknown paths`'),
        share: z
          .number()
          .describe('Its share of the requests of all runs but the heaviest, from 0 to 1'),
        fixed: z.number().describe('How many each run sends'),
        per_project: z.number(),
        per_page: z.number().describe('For each page of the list of projects'),
        per_report: z.number().describe('For each report whose content is read'),
      }),
    )
    .describe('What the requests of a typical run are, the largest share first'),
  saving: z
    .strictObject({
      endpoint: z.string(),
      avoidable: z.number().describe('The share of its requests that can be avoided, from 0 to 1'),
      instead: z.string().describe('How, in sentences'),
      fits: Fits,
    })
    .optional()
    .describe('What would let the most projects fit; omitted where the API has nothing'),
})
export type Budget = z.infer<typeof Budget>

/** What reproduces a finding, together with the other options of the rehearsal. */
export const Reproduction = z.strictObject({
  seed: z.string(),
  start: z.string(),
  until: z.int().describe('The number of the last run'),
})
export type Reproduction = z.infer<typeof Reproduction>

/** What a rehearsal adds to a review. */
export interface Rehearsed {
  plan: Plan
  runs: RehearsedRun[]
  delays: Delay[]
  /** Whether runs were left out because it was stopped from outside: then it has not passed. */
  stopped?: true
  /** Omitted if no calm run sent requests. */
  budget?: Budget
}
