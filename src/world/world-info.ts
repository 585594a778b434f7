import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'

/** What a world takes in a store: its creation, its log, its snapshot and the texts that it has loaded, compressed. */
export const StoredBytes = z.int().describe('How many bytes of the store the world takes')
export const MaximumBytes = z
  .int()
  .describe(
    'How many it may take; after that it only takes requests to the API, and changes that delete something',
  )

/** What is not known of a damaged world is empty, 0, or the time of its creation. */
export const Damaged = z
  .string()
  .optional()
  .describe(
    'What the store has lost of the world, so that nobody can use it; absent where it is whole',
  )

/** Public information about an isolated world. */
export const WorldInfo = z.strictObject({
  id: z.string(),
  created_at: DateTime.describe("By the machine's clock, or that of Redis with a store"),
  last_used_at: DateTime.describe(
    'When it last had a request or a command, or was addressed by the control API',
  ),
  requests: z.int().describe('How many requests it has handled'),
  partner: z
    .string()
    .optional()
    .describe(
      'With a store, the name of the partner whose world it is; absent where it is nobody’s',
    ),
  bytes: StoredBytes.optional(),
  maximum_bytes: MaximumBytes.optional(),
  damaged: Damaged,
})
export type WorldInfo = z.infer<typeof WorldInfo>
