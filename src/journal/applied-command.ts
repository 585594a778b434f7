import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'

/** The current time of both clocks, in the API's datetime format. */
export const ClockState = z.strictObject({
  now: DateTime.describe('The world clock'),
  frozen: z.boolean().describe('Whether the world clock stands still'),
  rate_clock: DateTime.describe('The clock of rate windows and of `Date`'),
})
export type ClockState = z.infer<typeof ClockState>

/** A command that was applied, with the clocks after it. */
export const AppliedCommand = z.strictObject({
  sequence: z.int().positive().describe('Its place among all requests and commands of its world'),
  command: z.unknown().describe('As sent, without bearer values'),
  clock: ClockState,
})
export type AppliedCommand = z.infer<typeof AppliedCommand>
