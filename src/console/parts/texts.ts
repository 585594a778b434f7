/** How much of a text of a record a line shows; a fixture may have 200 kB in every field. */
const LINE = 240

/** A text for a line. */
export function shorten(text: string, length = LINE): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** An address that a link may lead to; undefined for anything else, as for `javascript:`. */
export function toAddress(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined
}

/** `1 keyword`, `12 keywords`. */
export function count(number: number, one: string): string {
  return `${number.toLocaleString('en')} ${one}${number === 1 ? '' : 's'}`
}

/** Whether a text has every word of a search, somewhere and in any case. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}
