import type { OperationContext } from '../operation-context.ts'
import { parseId } from '../identifiers.ts'
import { refuse } from '../messages.ts'
import type { Outcome } from '../messages.ts'
import { presentLabel } from '../present.ts'

/** Specification 4.2. */
export function getLanguage({ params, records, policy }: OperationContext): Outcome {
  const id = parseId(params[0] ?? '', policy)
  if (typeof id !== 'number') return id
  const language = records.get('languages', id)
  if (!language) return refuse('language_not_found')
  return { body: { data: presentLabel(language) } }
}
