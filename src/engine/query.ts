import type { ReadPolicy } from '../contract/policies.ts'
import type { OperationId } from '../contract/routes.ts'
import { ROUTES } from '../contract/routes.ts'
import type { OperationContext } from './operation-context.ts'
import type { Refusal } from './messages.ts'

/** The effective value of a query parameter; undefined where it is absent. */
export function readParameter(
  query: URLSearchParams,
  name: string,
  policy: ReadPolicy,
): string | undefined {
  const values = query.getAll(name)
  const [first, last] = [values[0], values.at(-1)]
  const value = first !== last && policy('repeated-parameter') === 'first' ? first : last
  return value === '' && policy('empty-parameter') === 'absent' ? undefined : value
}

/** Specification 4.3(1): the refusal of a parameter that the operation does not know, if any. */
export function refuseUnknownParameters({
  query,
  knownParameters: known,
}: Pick<OperationContext, 'query' | 'knownParameters'>): Refusal | undefined {
  const isKnown = [...query.keys()].every((name) => known.includes(name))
  return isKnown ? undefined : { problem: 'unknown_parameter', allowedParameters: known }
}

/** The parameters that an operation accepts, including those that it ignores (G-045). */
export function knownParameters(operation: OperationId): string[] {
  const { query, ignoredQuery } = ROUTES[operation]
  return [...query, ...ignoredQuery]
}
