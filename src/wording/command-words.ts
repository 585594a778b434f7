import { shorten } from './shorten.ts'

/** The length of a text that is shown, of which the rest would only take time to lay out. */
export const SHOWN_LENGTH = 300

/** A command by its type and its fields; what a field has within it is left out, which may be a whole world. */
export function commandWords(command: unknown): string {
  if (typeof command !== 'object' || command === null) return ''
  const { type, ...fields } = command as Record<string, unknown>
  const rest = Object.entries(fields).map(([name, value]) => `${name} ${valueOf(value)}`)
  return [String(type), ...rest].join(' ')
}

function valueOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value !== 'object' || value === null) return shorten(String(value), SHOWN_LENGTH)
  const inner = Object.entries(value).map(([name, item]) =>
    typeof item === 'object' ? name : `${name} ${shorten(String(item), 40)}`,
  )
  return shorten(`{ ${inner.slice(0, 8).join(', ')} }`, SHOWN_LENGTH)
}
