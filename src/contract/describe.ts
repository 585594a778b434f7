/** A value as an error names it: scalars as JSON writes them, anything else by its kind. */
export function describe(input: unknown): string {
  if (input === undefined) return 'nothing'
  if (typeof input === 'string' || typeof input === 'boolean') return JSON.stringify(input)
  if (typeof input === 'number' || typeof input === 'bigint') return input.toString()
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  return typeof input === 'object' ? 'a map' : `a ${typeof input}`
}

/** A text that cannot steer the terminal that shows it: what controls it, or turns its direction, is spelled out. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (control) => {
    const code = control.codePointAt(0) ?? 0
    return String.raw`\u${code.toString(16).padStart(4, '0')}`
  })
}
