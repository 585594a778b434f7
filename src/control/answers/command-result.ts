import { z } from 'zod'
import { POLICIES } from '../../contract/gaps.ts'
import { ClockState } from './clock-state.ts'
import { ListedFault } from './listed-fault.ts'
import { AnyRecordForm } from './records.ts'

/** What a `record.put` or `record.patch` came to. */
export const PutResult = z.strictObject({
  record: AnyRecordForm,
  created: z.boolean().describe('Whether there was none with its id before'),
})
export type PutResult = z.infer<typeof PutResult>

/** Every policy, and the option of it that is in force. */
export const PoliciesInForce = z.strictObject(
  Object.fromEntries(
    POLICIES.map(({ policy, question }) => [policy, z.string().describe(question)]),
  ),
)

/** What a command comes to: the clocks after it, or what it has made of a record, the faults or the policies. */
export const CommandResult = z.union([
  ClockState,
  PutResult,
  AnyRecordForm,
  ListedFault,
  z.array(ListedFault),
  PoliciesInForce,
])
