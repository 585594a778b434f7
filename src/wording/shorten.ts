/** How much of a text of a record a line shows; a fixture may have 200 kB in every field. */
const LINE = 240

/** A text for a line. */
export function shorten(text: string, length = LINE): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
