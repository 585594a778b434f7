import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { ArmedFault } from '../fault.ts'

const Listing = z.strictObject({
  id: Id,
  matched: z.int().min(0).describe('How many requests it was meant for'),
  fired: z.int().min(0).describe('How many of them it had a part in'),
  exhausted: z
    .boolean()
    .describe('Whether it can have none any more, unless the world clock is set back'),
})

const KINDS: readonly z.ZodObject[] = ArmedFault.options

/** A fault in the list of those armed: of whichever kind, with what has become of it. */
export type ListedFault = ArmedFault & z.infer<typeof Listing>
export const ListedFault: z.ZodType<ListedFault> = z.union(
  KINDS.map(
    (kind) =>
      z.strictObject({ ...kind.shape, ...Listing.shape }) as unknown as z.ZodType<ListedFault>,
  ),
)
