/** A sentence in parts: words of the page, and names, which may be in any language and direction. */
export type Sentence = readonly SentencePart[]

export type SentencePart = string | { name: string }

/** Fills in what a label has in braces: numbers, and names. */
export function fillIn(
  label: string,
  values: Readonly<Record<string, SentencePart | number>>,
): Sentence {
  // With a group in the separator, every other piece is what it has captured.
  return label.split(/\{(\w+)\}/).map((piece, index) => {
    const value = index % 2 === 0 ? piece : values[piece]
    return typeof value === 'object' ? value : String(value)
  })
}

export function toPlainText(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.name)).join('')
}
