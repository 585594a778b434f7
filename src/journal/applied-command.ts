import { z } from 'zod'
import { ClockState } from './clock-state.ts'

/** A command that was applied, with the clocks after it. */
export const AppliedCommand = z.strictObject({
  sequence: z.int().positive().describe('Its place among all requests and commands of its world'),
  command: z.unknown().describe('As sent, without bearer values'),
  clock: ClockState,
})
export type AppliedCommand = z.infer<typeof AppliedCommand>
