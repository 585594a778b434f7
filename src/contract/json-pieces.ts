import { bytesOf } from './plain-size.ts'
import type { Steps } from './steps.ts'

/** A part of this size, roughly in bytes, is written at once. */
const PIECE_BYTES = 2 ** 14

/** Writes the JSON text of plain data, which can have lazy lists, a step for each piece. */
export function* writePieces(value: unknown, write: (piece: string) => void): Steps {
  for (const piece of jsonPieces(value)) {
    write(piece)
    yield
  }
}

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
  for (const item of items) {
    yield separator
    yield* jsonPieces(item)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
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
