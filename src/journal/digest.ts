import { memoizeByObject } from '../contract/cache.ts'
import { toDateTime } from '../contract/time.ts'
import type { Shown } from '../engine/messages.ts'

/** Cached, because the same long bodies are usually sent again. */
const digestOfLong = memoizeByObject(compute)

/** Minimum size at which looking up a digest is faster than computing it. */
const LONG_BYTES = 1024

/** Returns a 32-bit digest of bytes. The digest detects accidental changes, but is not collision-resistant. */
export function digest(bytes: Uint8Array): number {
  return bytes.byteLength < LONG_BYTES ? compute(bytes) : digestOfLong(bytes)
}

const CONTENT_DIGESTS = new WeakMap<Shown, number>()

/** End of a body with a report's content. Only the length of this string is used. */
const REFRESHED = `,"cache_refreshed_at":"${toDateTime(0)}"}`

/** Returns the digest of a body with a report's content, without `cache_refreshed_at`. */
export function contentDigest(shown: Shown, body: Uint8Array): number {
  const known = CONTENT_DIGESTS.get(shown)
  if (known !== undefined) return known
  const computed = compute(body.subarray(0, -REFRESHED.length))
  CONTENT_DIGESTS.set(shown, computed)
  return computed
}

/** In Jest, whose globals belong to a separate context, looking up `Math` would take most of the time of the loop. */
const { imul } = Math

const WORD_BYTES = 4

/**
 * Computes a variant of the 32-bit MurmurHash3: the length is the seed, and the remaining bytes form the last word,
 * which may be empty.
 */
function compute(bytes: Uint8Array): number {
  const { byteLength } = bytes
  const words = new DataView(bytes.buffer, bytes.byteOffset, byteLength)
  const end = byteLength - (byteLength % WORD_BYTES)
  let hash = byteLength
  for (let at = 0; at <= end; at += WORD_BYTES) {
    const word = at < end ? words.getInt32(at, true) : lastWord(bytes, end)
    const mixed = imul(rotate(imul(word, 0xcc9e2d51), 15), 0x1b873593)
    hash = (imul(rotate(hash ^ mixed, 13), 5) + 0xe6546b64) | 0
  }
  const first = imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}

function lastWord(bytes: Uint8Array, start: number): number {
  let word = 0
  for (let at = start; at < bytes.byteLength; at += 1) word = (word << 8) | (bytes[at] ?? 0)
  return word
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

const encoder = new TextEncoder()

/** Returns a 32-bit digest of a string, like {@link digest}. */
export function digestOfText(text: string): number {
  return compute(encoder.encode(text))
}
