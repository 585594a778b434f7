import { z } from 'zod'
import { ReportNumber } from '../contract/report.ts'
import { Id } from '../contract/conventions.ts'

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

/** How to have the same again, with the other options of the rehearsal. */
export const Reproduction = z.strictObject({
  seed: z.string(),
  start: z.string(),
  until: z.int().describe('The number of the last run'),
})
export type Reproduction = z.infer<typeof Reproduction>

/** What a rehearsal says besides what a review does. */
export interface Rehearsed {
  plan: Plan
  runs: RehearsedRun[]
  delays: Delay[]
}
