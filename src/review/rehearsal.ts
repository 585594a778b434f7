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
  /** Omitted if the client has not passed, and if its runs say nothing about growth. */
  budget?: Budget
}
