import type { ReadPolicy } from '../contract/policies.ts'
import { ROUTES } from '../contract/routes.ts'
import type { OperationId } from '../contract/routes.ts'
import { refuse } from './messages.ts'
import type { OperationContext, Refusal } from './messages.ts'

/**
 * Returns the value of a query parameter; the first or the last of several, as policy demands. Undefined if the parameter is
 * absent, or if its value is empty and policy ignores empty values.
 */
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

/**
 * Specification 4.3(1): refuses a query with parameters that the operation does not know. Returns undefined for any other query.
 */
export function refuseUnknownParameters({
  query,
  knownParameters: known,
}: Pick<OperationContext, 'query' | 'knownParameters'>): Refusal | undefined {
  const isKnown = [...query.keys()].every((name) => known.includes(name))
  return isKnown ? undefined : { problem: 'unknown_parameter', allowedParameters: known }
}

/** Returns the parameters that an operation accepts, including those that it ignores (G-045). */
export function knownParameters(operation: OperationId): string[] {
  const { query, ignoredQuery } = ROUTES[operation]
  return [...query, ...ignoredQuery]
}

/** True for a non-negative integer without a sign or leading zeros. */
export function isPlainDecimal(text: string): boolean {
  return /^(0|[1-9]\d*)$/.test(text)
}

/** Parses a plain decimal that is a safe integer; undefined for any other string. */
export function parsePlainDecimal(text: string): number | undefined {
  if (!isPlainDecimal(text)) return undefined
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : undefined
}

const BEGINS_LIKE_A_NUMBER = /^\s*[+-]?\d+/

/**
 * Parses the id in a path (specification 2.1). A string that is not a plain decimal yields 0, the id of no record. For a string
 * that begins with a number, policy may demand that number instead (G-048); for any other, a refusal (G-047).
 */
export function parseId(text: string, policy: ReadPolicy): number | Refusal {
  const id = parsePlainDecimal(text)
  if (id !== undefined) return id
  const leading = BEGINS_LIKE_A_NUMBER.exec(text)?.[0]
  if (leading !== undefined) return policy('loose-id') === 'cast' ? Number(leading) : 0
  return policy('non-integer-id') === '400' ? refuse('malformed_id') : 0
}
