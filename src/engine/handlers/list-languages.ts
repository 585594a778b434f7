import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'
import { presentLabel } from '../present.ts'
import { inListOrder, listOutcome } from './lists.ts'

/** Specification 4.9. */
export function listLanguages(context: OperationContext): Outcome {
  const languages = context.records.all('languages')
  return listOutcome(
    context,
    inListOrder(context, languages, ({ label }) => label),
    presentLabel,
  )
}
