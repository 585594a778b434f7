/** The lines of a text that comes in pieces; those of `readline` would end at U+2028 too, which JSON may contain. */
export async function* toLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  // Not joined before its end is there: a line may come in thousands of pieces.
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
