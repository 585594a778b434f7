import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'

/** The time of both clocks, in the API's datetime format. */
export const ClockState = z.strictObject({
  now: DateTime.describe('The world clock'),
  frozen: z.boolean().describe('True if the world clock is stopped'),
  rate_clock: DateTime.describe('The rate clock, which decides rate windows and `Date`'),
})
export type ClockState = z.infer<typeof ClockState>

/** A command that was applied, with the time of both clocks after it. */
export const AppliedCommand = z.strictObject({
  sequence: z.int().positive().describe('Position among all requests and commands of its world'),
  command: z.unknown().describe('The command as sent, without bearer values'),
  clock: ClockState,
})
export type AppliedCommand = z.infer<typeof AppliedCommand>
