import { createHash, randomBytes } from 'node:crypto'

/** Keys and codes have 256 bits of randomness: too many to be guessed, so that a digest without a salt is enough. */
const SECRET_BYTES = 32

const KEY = /^world-key~(w\d{1,15})-[0-9a-f]{64}$/
const CODE = /^(w\d{1,15})-[0-9a-f]{64}$/
const ANYWHERE = /(?:world-key~)?w\d{1,15}-[0-9a-f]{64}/g
const SHORTEST = 'w1-'.length + 2 * SECRET_BYTES

/** A key of a world, which says which world that is, as its tokens do. */
export function createKey(world: string): string {
  return `world-key~${createCode(world)}`
}

/** The code of a link that is claimed once. */
export function createCode(world: string): string {
  return `${world}-${randomBytes(SECRET_BYTES).toString('hex')}`
}

/** The world that a key is for; undefined for any other text. */
export function worldOfKey(key: string): string | undefined {
  return KEY.exec(key)?.[1]
}

/** The world that the code of a link is for; undefined for any other text. */
export function worldOfCode(code: string): string | undefined {
  return CODE.exec(code)?.[1]
}

/** A text with a placeholder for each key and code: the store keeps only digests of these. */
export function withoutKeys(text: string): string {
  return text.length < SHORTEST ? text : text.replaceAll(ANYWHERE, '[key]')
}

/** The key of a text in the store, and what the store keeps of a secret. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** The id of a key, from its digest, for where the key must not be shown: 12 characters. */
export function keyIdOf(digest: string): string {
  return Buffer.from(digest, 'base64url').toString('hex', 0, 6)
}
