import { z } from 'zod'
import { ArmedFault } from './fault.ts'

const Count = z.int().min(0)

/** The saved state of faults. */
export const SavedFaults = z.strictObject({
  last_id: Count,
  armed: z.array(
    z.strictObject({ id: z.int().positive(), fault: ArmedFault, matched: Count, fired: Count }),
  ),
})
export type SavedFaults = z.output<typeof SavedFaults>
