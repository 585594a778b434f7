/** How many characters are sent or encoded at a time. */
export const CHUNK_LENGTH = 2 ** 16

/** A long text that is written in many small pieces, as UTF-8 outside the heap. */
export async function toChunks(
  writeText: (write: (piece: string) => void) => Promise<void>,
): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  let text = ''
  await writeText((piece) => {
    text += piece
    if (text.length < CHUNK_LENGTH) return
    chunks.push(Buffer.from(text))
    text = ''
  })
  return [...chunks, Buffer.from(text)]
}
