/** Maximum number of items of a list that are written at once. */
const GROUP_LENGTH = 50

/** Yields the JSON text of plain data: one piece for each group of items of its lists, and for each field of its maps. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null'
  else if (Symbol.iterator in value) yield* listPieces(value as Iterable<unknown>)
  else yield* mapPieces(value)
}

function* listPieces(items: Iterable<unknown>): Generator<string> {
  let separator = '['
  let group: unknown[] = []
  const write = (): string => {
    const piece = separator + JSON.stringify(group).slice(1, -1)
    separator = ','
    group = []
    return piece
  }
  for (const item of items) {
    group.push(item)
    if (group.length === GROUP_LENGTH) yield write()
  }
  if (group.length > 0) yield write()
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

/** Maximum number of characters sent or encoded at a time. */
export const CHUNK_LENGTH = 2 ** 16

/** Encodes a long text as UTF-8 outside the heap, in many small pieces. */
export async function toChunks(
  writeText: (write: (piece: string) => void) => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const encoder = new TextEncoder()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let text = ''
  await writeText((piece) => {
    text += piece
    if (text.length < CHUNK_LENGTH) return
    chunks.push(encoder.encode(text))
    text = ''
  })
  return [...chunks, encoder.encode(text)]
}
