import type { RecordReader } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import type { Validated } from '../contract/validation.ts'

/** The id of a token by id, bearer value or name. Errors do not repeat the input, which may be a bearer value. */
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
