import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'

/** Public information about an isolated world. */
export const WorldInfo = z.strictObject({
  id: z.string(),
  created_at: DateTime.describe("By the machine's clock, or that of Redis with a store"),
  last_used_at: DateTime.describe(
    'When it last had a request or a command, or was addressed by the control API',
  ),
  requests: z.int().describe('How many requests it has handled'),
})
export type WorldInfo = z.infer<typeof WorldInfo>
