/**
 * Concatenates texts into a flat string. V8 keeps concatenated strings as trees of their parts, which take three
 * times the memory, and 100,000 projects have such texts.
 */
export function flat(...parts: (string | number)[]): string {
  return parts.join('')
}
