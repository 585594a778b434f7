/** How many characters are sent or encoded at a time. */
export const CHUNK_LENGTH = 2 ** 16

/** A long text that is written in many small pieces, as UTF-8 outside the heap. */
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
