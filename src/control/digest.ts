/** Of long bytes, which are mostly a body that is kept and sent again. */
const DIGESTS = new WeakMap<Uint8Array, number>()

/** Below it they are read faster than looked up. */
const LONG_BYTES = 1024

/**
 * What tells bytes from others: 53 bits, as a whole number. It finds what changed by accident; whoever wants
 * to can make two bodies with the same one.
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

/**
 * Two lanes of 32 bits that mix as MurmurHash3 does, each with constants of its own. The last word has the
 * bytes that are left over; that there may be none is told by the length.
 */
function compute(bytes: Uint8Array): number {
  const { byteLength } = bytes
  const words = new DataView(bytes.buffer, bytes.byteOffset, byteLength)
  const end = byteLength - (byteLength % WORD_BYTES)
  let first = 0x9e3779b9 ^ byteLength
  let second = 0x85ebca6b ^ byteLength
  for (let at = 0; at <= end; at += WORD_BYTES) {
    const word = at < end ? words.getInt32(at, true) : lastWord(bytes, end)
    first =
      (Math.imul(rotate(first ^ spread(word, 0xcc9e2d51, 0x1b873593), 13), 5) + 0xe6546b64) | 0
    second =
      (Math.imul(rotate(second ^ spread(word, 0x239b961b, 0xab0e9789), 17), 5) + 0x561ccd1b) | 0
  }
  return finish(first + second) * 2 ** 21 + (finish(first ^ rotate(second, 11)) >>> 11)
}

function lastWord(bytes: Uint8Array, start: number): number {
  let word = 0
  for (let at = start; at < bytes.byteLength; at += 1) word = (word << 8) | (bytes[at] ?? 0)
  return word
}

function spread(word: number, before: number, after: number): number {
  return Math.imul(rotate(Math.imul(word, before), 15), after)
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

/** Has every bit depend on every other one. */
function finish(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}
