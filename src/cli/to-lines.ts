/** Yields the lines of a string that arrives in pieces. `readline` would also split at U+2028, which JSON may contain. */
export async function* toLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  // Pieces are joined only at the end of a line, which may span thousands of pieces.
  let begun: string[] = []
  for await (const piece of pieces) {
    const [first = '', ...lines] = piece.split('\n')
    begun.push(first)
    for (const line of lines) {
      yield begun.join('')
      begun = [line]
    }
  }
  const last = begun.join('')
  if (last !== '') yield last
}
