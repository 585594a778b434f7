/** In characters. A field of a fixture may be far longer than a line. */
const MAXIMUM_LINE_LENGTH = 240

export function fitOnLine(text: string, length = MAXIMUM_LINE_LENGTH): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Maximum length of a displayed string, in characters. The layout of longer strings would be slow. */
export const SHOWN_LENGTH = 300

/**
 * Describes a command by its type and fields; empty unless it is an object. A field may contain a whole world, so lists
 * are reduced to their lengths, and objects within a field to their names.
 */
export function commandWords(command: unknown): string {
  if (typeof command !== 'object' || command === null) return ''
  const { type, ...fields } = command as Record<string, unknown>
  const rest = Object.entries(fields).map(([name, value]) => `${name} ${valueOf(value)}`)
  return [String(type), ...rest].join(' ')
}

function valueOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value !== 'object' || value === null) return fitOnLine(String(value), SHOWN_LENGTH)
  const inner = Object.entries(value).map(([name, item]) =>
    typeof item === 'object' ? name : `${name} ${fitOnLine(String(item), 40)}`,
  )
  return fitOnLine(`{ ${inner.slice(0, 8).join(', ')} }`, SHOWN_LENGTH)
}
