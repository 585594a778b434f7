import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'
import { presentLabel } from '../present.ts'
import { inListOrder, listAnswer } from './lists.ts'

/** Specification 4.9. */
export function listLanguages(context: OperationContext): Outcome {
  const languages = context.records.all('languages')
  return listAnswer(
    context,
    inListOrder(context, languages, ({ label }) => label),
    presentLabel,
  )
}
