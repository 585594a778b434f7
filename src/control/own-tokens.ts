import type { RecordSet } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { Snapshot } from './snapshots.ts'

/** What follows a bearer value in an isolated world: its id, and what nobody can guess. */
const ENDING = String.raw`~w\d+-[0-9a-z]{16}`
const SUFFIX = new RegExp(`${ENDING}$`)

const ENDINGS = new RegExp(ENDING, 'g')

/** What stands between a bearer value and the text around it. */
const BOUNDARY = /[\s/?&=#"'<>]/

/** A text with something else in place of the bearer values of isolated worlds, whichever they are. */
export function withoutIsolatedValues(text: string, placeholder: string): string {
  let shown = ''
  let from = 0
  for (const { 0: ending, index } of text.matchAll(ENDINGS)) {
    let start = index
    while (start > from && !BOUNDARY.test(text.charAt(start - 1))) start -= 1
    shown += text.slice(from, start) + placeholder
    from = index + ending.length
  }
  return shown + text.slice(from)
}

/** The bearer value that a token has in the fixture, of the one that it has in whichever world. */
export function toBareValue(token: string): string {
  return token.replace(SUFFIX, '')
}

/**
 * Records whose tokens have the values of a world: those of the fixture, with its suffix. Tokens that have
 * them already stay the same objects.
 */
export function withOwnTokens(records: RecordSet, suffix: string): RecordSet {
  const tokens = records.tokens.map((record): TokenRecord => {
    const token = toBareValue(record.token) + suffix
    return token === record.token ? record : { ...record, token }
  })
  return { ...records, tokens }
}

/**
 * A snapshot, of whichever world, as the one with that suffix takes it in. One of its own has the values
 * already, also those that commands gave.
 */
export function toOwnSnapshot(snapshot: Snapshot, suffix: string): Snapshot {
  const { records, published } = snapshot
  const isOwn = suffix !== '' && records.tokens.some(({ token }) => token.endsWith(suffix))
  if (isOwn) return snapshot
  return {
    ...snapshot,
    records: withOwnTokens(records, suffix),
    published: published && { ...published, changed: withOwnTokens(published.changed, suffix) },
  }
}
