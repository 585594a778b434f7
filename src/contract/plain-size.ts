import { LazyList } from './lazy-list.ts'

const TEXT_BYTES = 24
const ENTRY_BYTES = 12
const CONTAINER_BYTES = 40

/** Looking at each character of a shorter text is not worth it. */
const LONG_LENGTH = 100
/** Matches a text that takes two bytes for each character. */
const WIDE = /[^\0-\xff]/

function bytesOfText(text: string): number {
  return text.length > LONG_LENGTH && WIDE.test(text) ? 2 * text.length : text.length
}

/**
 * The bytes of memory that plain data takes, by estimate; infinite for what has a lazy list. Counting stops above a limit.
 */
export function bytesOf(value: unknown, limit = Infinity): number {
  if (typeof value === 'string') return TEXT_BYTES + bytesOfText(value)
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof LazyList) return Infinity
  let bytes = CONTAINER_BYTES
  for (const part of Object.values(value)) {
    bytes += ENTRY_BYTES + bytesOf(part, limit - bytes)
    if (bytes > limit) break
  }
  return bytes
}
