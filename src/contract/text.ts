/** Formats a value for error messages: scalars as JSON, the beginning of a long text, anything else by its type. */
export function describe(input: unknown): string {
  if (input === undefined) return 'nothing'
  if (typeof input === 'string') return toShownJson(shorten(input, SHOWN_LENGTH))
  if (typeof input === 'boolean') return JSON.stringify(input)
  if (typeof input === 'number' || typeof input === 'bigint') return input.toString()
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  return typeof input === 'object' ? 'a map' : `a ${typeof input}`
}

const SHOWN_LENGTH = 80

/** Shortens a text to at most this many characters, the last of them an ellipsis if more were left out. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `a, b or c`. Intl.ListFormat would write the same, but loading it takes 10 ms of every start. */
export function listWithOr(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`
}

/** Makes a text safe to show in a terminal: control and bidirectional characters are escaped. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (control) => {
    const code = control.codePointAt(0) ?? 0
    return String.raw`\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Removes control characters from the lines of a text, but not the line breaks. */
export function withoutControlsInLines(text: string): string {
  return text.split('\n').map(withoutControls).join('\n')
}

/** Formats JSON so that it is safe to show in a terminal. `space` is the indentation; on one line if omitted. */
export function toShownJson(value: unknown, space?: number): string {
  return withoutControlsInLines(JSON.stringify(value, null, space))
}

/** Escapes a text for HTML, also within a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Encodes bytes in Base64, in any runtime. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Encodes bytes in Base64 with the alphabet of URLs, and without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
