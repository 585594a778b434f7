import { z } from 'zod'

/** Options for the automatic moves of a world's reports from state to state (G-086). */
export const Progress = z
  .strictObject({
    mode: z
      .enum(['time', 'reads', 'manual'])
      .meta({ title: 'mode of progress' })
      .describe(
        '`time`: with the world clock; `reads`: with reads of its project; `manual`: by commands',
      ),
    reads: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(3)
      .describe(
        "With `reads`: number of reads of a project's reports after which the next report moves",
      ),
  })
  .describe('Progress of reports')
export type Progress = z.infer<typeof Progress>
