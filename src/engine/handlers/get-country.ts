import type { OperationContext } from '../operation-context.ts'
import { parseId } from '../identifiers.ts'
import { refuse } from '../messages.ts'
import type { Outcome } from '../messages.ts'
import { presentLabel } from '../present.ts'

/** Specification 4.2: 404 also for a country that exists but does not apply (trap T25). */
export function getCountry({ params, records, policy }: OperationContext): Outcome {
  const id = parseId(params[0] ?? '', policy)
  if (typeof id !== 'number') return id
  const country = records.get('countries', id)
  if (!country?.applicable) return refuse('country_not_found')
  return { body: { data: presentLabel(country) } }
}
