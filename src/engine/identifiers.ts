import type { ReadPolicy } from '../contract/policies.ts'
import { refuse } from './messages.ts'
import type { Refusal } from './messages.ts'

/** Whether a text is a whole number without sign or leading zero. */
export function isPlainDecimal(text: string): boolean {
  return /^(0|[1-9]\d*)$/.test(text)
}

/** A safe integer without sign or leading zero; undefined for anything else. */
export function parsePlainDecimal(text: string): number | undefined {
  if (!isPlainDecimal(text)) return undefined
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : undefined
}

const BEGINS_LIKE_A_NUMBER = /^\s*[+-]?\d+/

/** The id in a path (specification 2.1): a number, or 0, which no record has; or a refusal. */
export function parseId(text: string, policy: ReadPolicy): number | Refusal {
  const id = parsePlainDecimal(text)
  if (id !== undefined) return id
  const leading = BEGINS_LIKE_A_NUMBER.exec(text)?.[0]
  if (leading !== undefined) return policy('loose-id') === 'cast' ? Number(leading) : 0
  return policy('non-integer-id') === '400' ? refuse('malformed_id') : 0
}
