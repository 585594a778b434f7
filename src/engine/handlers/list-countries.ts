import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'
import { presentLabel } from '../present.ts'
import { inListOrder, listOutcome } from './lists.ts'

/** Specification 4.9: the countries that apply to SEO projects. */
export function listCountries(context: OperationContext): Outcome {
  const countries = context.records.all('countries').filter(({ applicable }) => applicable)
  return listOutcome(
    context,
    inListOrder(context, countries, ({ label }) => label),
    presentLabel,
  )
}
