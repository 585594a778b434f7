import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'

/** What there is to know of an isolated world from outside. */
export const WorldInfo = z.strictObject({
  id: z.string(),
  created_at: DateTime.describe("By the machine's clock"),
  last_used_at: DateTime.describe(
    'When it last had a request or a command, or was named to the control API',
  ),
  requests: z.int().describe('How many requests it has answered'),
})
export type WorldInfo = z.infer<typeof WorldInfo>
