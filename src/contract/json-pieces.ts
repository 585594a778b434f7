import { bytesOf } from './plain-size.ts'

/** A part of this size, roughly in bytes, is written at once. */
const PIECE_BYTES = 2 ** 14

/** The JSON text of plain data, which can have lazy lists, in pieces. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || bytesOf(value, PIECE_BYTES) <= PIECE_BYTES) {
    yield JSON.stringify(value) ?? 'null'
  } else if (Symbol.iterator in value) {
    yield* listPieces(value as Iterable<unknown>)
  } else {
    yield* mapPieces(value)
  }
}

function* listPieces(items: Iterable<unknown>): Generator<string> {
  let separator = '['
  for (const group of groupsOf(items)) {
    yield separator
    if (group.length === 1) yield* jsonPieces(group[0])
    else yield JSON.stringify(group).slice(1, -1)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

/** Successive items of a list that make a piece together. A large one is alone. */
function* groupsOf(items: Iterable<unknown>): Generator<unknown[]> {
  let group: unknown[] = []
  let bytes = 0
  for (const item of items) {
    const itemBytes = bytesOf([item], PIECE_BYTES)
    if (group.length > 0 && bytes + itemBytes > PIECE_BYTES) {
      yield group
      group = []
      bytes = 0
    }
    group.push(item)
    bytes += itemBytes
  }
  if (group.length > 0) yield group
}

function* mapPieces(map: object): Generator<string> {
  let separator = '{'
  for (const [key, part] of Object.entries(map)) {
    if (part === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* jsonPieces(part)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}
