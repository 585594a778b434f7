import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'

/** Something that went wrong on a server with a store, for its operator. */
export const HostError = z.strictObject({
  at: DateTime.describe("When it last happened, by the machine's clock"),
  world: z.string().nullable().describe('The id of the world; null where it is about all of them'),
  message: z.string(),
  times: z.int().describe('How often it has happened since it was first listed'),
})
export type HostError = z.infer<typeof HostError>
