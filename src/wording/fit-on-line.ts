/** In characters. Any field of a fixture may hold 200 kB. */
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

/** Maximum length of a shown text, in characters. Laying out a longer text would waste time. */
export const SHOWN_LENGTH = 300

/**
 * Describes a command by its type and fields. Because a field may hold a whole world, a list is reduced to its length, and a
 * nested object to its name.
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
