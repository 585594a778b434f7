import { bytesOf } from '../../contract/plain-size.ts'

/**
 * Plain data in pieces: copying all of it from one thread to another at once would hold up the thread that receives it.
 */

type Path = readonly string[]

/**
 * A part of the data that is small enough to be copied at once: what is at a path from the root, or further entries of
 * the list or map there.
 */
export type Piece =
  | { path: Path; value: unknown }
  | { path: Path; entries: [key: string, value: unknown][] }

/** The memory of a piece, roughly, in bytes. */
const PIECE_BYTES = 2 ** 17

/** The pieces of plain data. What does not fit into one comes as an empty list or map, whose entries follow. */
export function* toPieces(value: unknown, path: Path = []): Generator<Piece> {
  if (!isContainer(value) || bytesOf(value, PIECE_BYTES) <= PIECE_BYTES) {
    yield { path, value }
    return
  }
  yield { path, value: Array.isArray(value) ? [] : {} }
  let entries: [string, unknown][] = []
  let bytes = 0
  for (const [key, part] of Object.entries(value)) {
    const added = bytesOf(part, PIECE_BYTES)
    if (bytes + added > PIECE_BYTES && entries.length > 0) {
      yield { path, entries }
      entries = []
      bytes = 0
    }
    if (added > PIECE_BYTES && isContainer(part)) {
      yield* toPieces(part, [...path, key])
    } else {
      entries.push([key, part])
      bytes += added
    }
  }
  if (entries.length > 0) yield { path, entries }
}

/** Puts pieces together again, in the order in which they were made. */
export class Assembly {
  #root: { value?: unknown } = {}

  get value(): unknown {
    return this.#root.value
  }

  add(piece: Piece): void {
    const path = ['value', ...piece.path]
    if ('entries' in piece) {
      const target = this.#at(path)
      for (const [key, value] of piece.entries) put(target, key, value)
    } else {
      put(this.#at(path.slice(0, -1)), path.at(-1) ?? '', piece.value)
    }
  }

  #at(path: Path): object {
    let part: object = this.#root
    for (const step of path) part = (part as Record<string, object>)[step] as object
    return part
  }
}

/** Sets an entry, even one that is called `__proto__`. */
function put(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
