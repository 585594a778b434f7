import type { RecordSet } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { Snapshot } from './snapshots.ts'

/** What follows a bearer value in an isolated world: its id, and what nobody can guess. */
const SUFFIX = /~w\d+-[0-9a-z]{16}$/

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

/** A snapshot, of whichever world, as the one with that suffix takes it in. */
export function toOwnSnapshot(snapshot: Snapshot, suffix: string): Snapshot {
  const { records, published } = snapshot
  return {
    ...snapshot,
    records: withOwnTokens(records, suffix),
    published: published && { ...published, changed: withOwnTokens(published.changed, suffix) },
  }
}
