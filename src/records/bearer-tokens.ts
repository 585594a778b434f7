import type { RecordSet, RecordReader } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { Validated } from '../contract/validation.ts'

/** Suffix of the bearer values of an isolated world: the world's id, by which a request's token selects the world, and a secret. */
const SUFFIX = String.raw`~w\d+-[0-9a-z]{16}`
const FINAL_SUFFIX = new RegExp(`(?:${SUFFIX})+$`)
/** Matches the suffix of a world, the key of a world (a suffix and 48 hexadecimal digits), and the code of an invitation link. */
const SUFFIXES = new RegExp(String.raw`${SUFFIX}(?:[0-9a-f]{48})?|w\d+-[0-9a-f]{64}`, 'g')
const LAST_SUFFIX = /~(w\d+)-[0-9a-z]{16}$/

const DELIMITER = /[\s/?&=#"'<>]/

/** Replaces bearer values of isolated worlds, their keys and invitation codes in a string with a placeholder. */
export function withoutIsolatedValues(text: string, placeholder: string): string {
  let shown = ''
  let from = 0
  for (const { 0: suffix, index } of text.matchAll(SUFFIXES)) {
    let start = index
    while (start > from && !DELIMITER.test(text.charAt(start - 1))) start -= 1
    shown += text.slice(from, start) + placeholder
    from = index + suffix.length
  }
  return shown + text.slice(from)
}

/** Returns the id of the world that the suffix of a bearer value names; undefined without a suffix. */
export function worldOfToken(token: string): string | undefined {
  return LAST_SUFFIX.exec(token)?.[1]
}

/** Returns a bearer value without the suffixes of worlds, as the fixture has it. */
export function withoutSuffix(token: string): string {
  return token.replace(FINAL_SUFFIX, '')
}

/**
 * Returns records whose bearer values end with `suffix`, in place of the suffixes of other worlds. The default world has an empty
 * suffix. A token that already ends with `suffix` is not copied.
 */
export function withNamespacedTokens(records: RecordSet, suffix: string): RecordSet {
  const tokens = records.tokens.map((record): TokenRecord => {
    const token = withoutSuffix(record.token) + suffix
    return token === record.token ? record : { ...record, token }
  })
  return { ...records, tokens }
}

/**
 * Finds a token by its id, bearer value or name, and returns its id; a problem if there is none, or if several tokens have the
 * name. The message of the problem does not repeat `named`, which may be a bearer value.
 */
export function findToken(named: number | string, records: RecordReader): Validated<number> {
  const tokens = records.all('tokens')
  const found = tokens.find(({ id }) => id === named) ?? tokens.find(({ token }) => token === named)
  if (found) return { value: found.id }

  const namesakes = tokens.filter(({ name }) => name === named)
  const [only] = namesakes
  if (only && namesakes.length === 1) return { value: only.id }
  const names = [...new Set(tokens.map(({ name }) => name))]
  const message = only
    ? `${namesakes.length} tokens have this name. Write the id: ${namesakes.map(({ id }) => id).join(' or ')}.`
    : `No token has this id, name or bearer value. ${suggest(String(named), names)}`
  return { problems: [{ path: ['token'], message }] }
}
