import { createHash, randomBytes } from 'node:crypto'

/** Number of random bytes of a key or code. 256 bits cannot be guessed, so the digest needs no salt. */
const SECRET_BYTES = 32

const KEY = /^world-key~(w\d{1,15})-[0-9a-f]{64}$/
const CODE = /^(w\d{1,15})-[0-9a-f]{64}$/
const ANYWHERE = /(?:world-key~)?w\d{1,15}-[0-9a-f]{64}/g
const SHORTEST = 'w1-'.length + 2 * SECRET_BYTES

/** Creates a key of a world. As in tokens, the id of the world is part of it. */
export function createKey(world: string): string {
  return `world-key~${createCode(world)}`
}

/** Creates the code of a link. The code can be exchanged for a key only a single time. */
export function createCode(world: string): string {
  return `${world}-${randomBytes(SECRET_BYTES).toString('hex')}`
}

/** Returns the id of the world that a key names, valid or not; undefined for any other string. */
export function worldOfKey(key: string): string | undefined {
  return KEY.exec(key)?.[1]
}

/** Returns the id of the world that the code of a link names, valid or not; undefined for any other string. */
export function worldOfCode(code: string): string | undefined {
  return CODE.exec(code)?.[1]
}

/** Replaces each key and code in a text with a placeholder, because the store keeps only their digests. */
export function withoutKeys(text: string): string {
  return text.length < SHORTEST ? text : text.replaceAll(ANYWHERE, '[key]')
}

/**
 * Returns the digest of a text or a secret. A digest is the key of a text in the store, and all that the store keeps of a secret.
 */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Returns the id of a key from its digest: 12 characters, which do not reveal the key. */
export function keyIdOf(digest: string): string {
  return Buffer.from(digest, 'base64url').toString('hex', 0, 6)
}
