/** Of long bytes, which are mostly a body that is kept and sent again. */
const DIGESTS = new WeakMap<Uint8Array, number>()

/** Below it they are read faster than looked up. */
const LONG_BYTES = 1024

/**
 * What tells bytes from others of the same length: 32 bits, as a whole number. It finds what changed by
 * accident; whoever wants to can make two bodies with the same one.
 */
export function digest(bytes: Uint8Array): number {
  if (bytes.byteLength < LONG_BYTES) return compute(bytes)
  const known = DIGESTS.get(bytes)
  if (known !== undefined) return known
  const computed = compute(bytes)
  DIGESTS.set(bytes, computed)
  return computed
}

const WORD_BYTES = 4

/** MurmurHash3 of 32 bits, its last word the bytes that are left over. */
function compute(bytes: Uint8Array): number {
  const { byteLength } = bytes
  const words = new DataView(bytes.buffer, bytes.byteOffset, byteLength)
  const end = byteLength - (byteLength % WORD_BYTES)
  let hash = byteLength
  for (let at = 0; at <= end; at += WORD_BYTES) {
    const word = at < end ? words.getInt32(at, true) : lastWord(bytes, end)
    const mixed = Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593)
    hash = (Math.imul(rotate(hash ^ mixed, 13), 5) + 0xe6546b64) | 0
  }
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

function lastWord(bytes: Uint8Array, start: number): number {
  let word = 0
  for (let at = start; at < bytes.byteLength; at += 1) word = (word << 8) | (bytes[at] ?? 0)
  return word
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
