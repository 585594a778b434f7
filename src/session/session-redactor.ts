import type { BearerSearch } from '../journal/bearer-finder.ts'
import { Redactor } from '../journal/redactor.ts'
import { withoutSuffix } from '../records/bearer-tokens.ts'

/** The bearer values that may occur in a session. */
export interface BearerValues {
  /** Those of the world, with the ids of their tokens. */
  owners: ReadonlyMap<string, number>
  /** Finds the values that commands gave to any world, and the admin key; omitted if there are none. */
  others?: BearerSearch | undefined
  /** The documented values of a generated world; they stay, because a replay generates the same ones. */
  documented: ReadonlySet<string>
}

/**
 * Replaces the bearer values of a world in a session that is shared, each by a placeholder that is a valid bearer
 * value itself, such as `token-1` for token 1.
 */
export function createSessionRedactor({ owners, others, documented }: BearerValues): Redactor {
  const placeholders = new Map<string, string>()
  const counts = new Map<number, number>()
  for (const [value, id] of owners) {
    if (documented.has(withoutSuffix(value))) {
      placeholders.set(value, withoutSuffix(value))
      continue
    }
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    placeholders.set(value, count === 1 ? `token-${id}` : `token-${id}-${count}`)
  }
  return new Redactor({ placeholders, others, foreign: 'unknown' })
}
