/** Formats a value for error messages: a scalar as JSON, a long string shortened, and anything else as its type. */
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

/** Shortens a string to at most `length` characters, the last of which is an ellipsis if the string was cut. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Joins words as `a, b or c`. Intl.ListFormat does the same, but loading it would add 10 ms to every start. */
export function listWithOr(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`
}

/** Escapes control characters, line breaks and bidirectional controls, so that a string is safe to show in a terminal. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (control) => {
    const code = control.codePointAt(0) ?? 0
    return String.raw`\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Same as {@link withoutControls}, but keeps line breaks. */
export function withoutControlsInLines(text: string): string {
  return text.split('\n').map(withoutControls).join('\n')
}

/** Formats a value as JSON that is safe to show in a terminal. `space` is the indentation; if omitted, the JSON is one line. */
export function toShownJson(value: unknown, space?: number): string {
  return withoutControlsInLines(JSON.stringify(value, null, space))
}

/** Escapes a string for HTML, including attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Encodes bytes in Base64, in browsers as well as in Node. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Encodes bytes in the URL-safe alphabet of Base64, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
