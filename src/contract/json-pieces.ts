const ITEMS_PER_PIECE = 50

/** Yields the JSON text of plain data in pieces: a list in groups of items, a map field by field. Any iterable becomes a list. */
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
    if (group.length === ITEMS_PER_PIECE) yield write()
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

/** Length at which buffered text is sent or encoded, in characters. */
export const CHUNK_LENGTH = 2 ** 16

/** Encodes the text from `writeText` as UTF-8, in chunks that are stored outside the JavaScript heap. */
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
