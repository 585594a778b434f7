/** A text as lines of at most this many characters; longer words stay whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
