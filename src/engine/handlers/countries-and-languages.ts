import type { Label } from '../../contract/conventions.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import { refuse } from '../messages.ts'
import type { OperationContext, OperationResult } from '../messages.ts'
import { parseId } from '../parameters.ts'
import { presentLabel } from '../present.ts'
import { inListOrder, listResult } from '../pagination.ts'

/** Specification 4.9: the countries that apply to SEO projects. */
export function listCountries(context: OperationContext): OperationResult {
  const countries = context.records.all('countries').filter(({ applicable }) => applicable)
  return listLabels(context, countries)
}

/** Specification 4.9: all languages. */
export function listLanguages(context: OperationContext): OperationResult {
  return listLabels(context, context.records.all('languages'))
}

/** Specification 4.2: 404 also for a country that exists but does not apply to SEO projects (trap T25). */
export function getCountry(context: OperationContext): OperationResult {
  return getLabel(context, 'country_not_found', (id) => {
    const country = context.records.get('countries', id)
    return country?.applicable ? country : undefined
  })
}

/** Specification 4.2: one language, or 404. */
export function getLanguage(context: OperationContext): OperationResult {
  return getLabel(context, 'language_not_found', (id) => context.records.get('languages', id))
}

function listLabels(context: OperationContext, labels: readonly Label[]): OperationResult {
  const ordered = inListOrder(context, labels, ({ label }) => label)
  return listResult(context, ordered, presentLabel)
}

function getLabel(
  { params, policy }: OperationContext,
  problem: ProblemCode,
  find: (id: number) => Label | undefined,
): OperationResult {
  const id = parseId(params[0] ?? '', policy)
  if (typeof id !== 'number') return id
  const found = find(id)
  return found ? { body: { data: presentLabel(found) } } : refuse(problem)
}
