import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { ArmedFault } from './fault.ts'

const Counts = z.strictObject({
  id: Id,
  matched: z.int().min(0).describe('Number of requests that it targeted'),
  fired: z.int().min(0).describe('Number of those requests that it affected'),
  exhausted: z
    .boolean()
    .describe('True if it can no longer affect requests, unless the world clock is set back'),
})

const KINDS: readonly z.ZodObject[] = ArmedFault.options

/** An armed fault of any kind, with its counts so far. */
export type FaultStatus = ArmedFault & z.infer<typeof Counts>
export const FaultStatus: z.ZodType<FaultStatus> = z.union(
  KINDS.map(
    (kind) =>
      z.strictObject({ ...kind.shape, ...Counts.shape }) as unknown as z.ZodType<FaultStatus>,
  ),
)
export const FaultStatuses = z.array(FaultStatus)

const Count = z.int().min(0)

export const SavedFaults = z.strictObject({
  last_id: Count,
  armed: z.array(
    z.strictObject({ id: z.int().positive(), fault: ArmedFault, matched: Count, fired: Count }),
  ),
})
export type SavedFaults = z.output<typeof SavedFaults>
