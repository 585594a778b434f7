/** How many characters of a text are shown on a line; a fixture may have 200 kB in every field. */
const LINE = 240

/** Shortens a text to fit on a line. */
export function shorten(text: string, length = LINE): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
