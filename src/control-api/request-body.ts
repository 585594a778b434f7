import { MEGABYTE } from '../contract/limits.ts'
import { findTooDeep, TOO_DEEP } from '../contract/nesting.ts'
import { isMap } from '../contract/read-fields.ts'
import type { ControlRoute } from './routes/route.ts'

const KILOBYTE = 1024

/** Maximum size in bytes of a body, and of a snapshot in a response. Requests with the key of a world have other limits. */
export const BODY_BYTES = 4 * MEGABYTE

/**
 * Maximum length of fixtures as text in a body, in characters. It is lower than `BODY_BYTES`, because reading YAML takes 20
 * times as long as reading JSON.
 */
const TEXT_LENGTH = 256 * KILOBYTE

/** Maximum size of a body for routes that need no key, in bytes. */
const KEYLESS_BYTES = 16 * KILOBYTE

/** Ratio of the maximum size of a snapshot to that of other bodies, for requests with the key of a world. */
export const SNAPSHOT_FACTOR = 4

export interface BodyRefusal {
  status: number
  /** Usual message; omitted if the message depends on the body. */
  message?: string
  /** Seconds until the body may be sent again; omitted if that would not help. */
  retrySeconds?: number
}

export const BODY_ERRORS = {
  invalid_json: { status: 400 },
  body_too_deep: { status: 400 },
  invalid_body: {
    status: 400,
    message: 'The body cannot be unpacked, or ended too early. Send it again.',
  },
  body_too_slow: {
    status: 408,
    message: 'The body comes too slowly. Send at least 1 kB a second.',
  },
  body_too_large: { status: 413 },
  invalid_request: { status: 415 },
  unknown_encoding: {
    status: 415,
    message: 'The encoding of the body is not known. Send it as it is, or as gzip, deflate or br.',
  },
  snapshot_too_large: { status: 422 },
  too_many_bodies: {
    status: 429,
    message: 'Four large bodies with keys of this world are being received. Send this one again.',
    retrySeconds: 1,
  },
  body_already_read: {
    status: 500,
    message:
      'Middleware in front, such as express.json(), has read the body. Mount middleware(sandbox) before it.',
  },
  server_busy: {
    status: 503,
    message: 'The server is receiving as many large bodies as it can. Send this one again.',
    retrySeconds: 1,
  },
} as const satisfies Record<string, BodyRefusal>

/** Error for a body that cannot be received, read or sent. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
  readonly code: keyof typeof BODY_ERRORS

  constructor(code: BodyError['code'], message?: string) {
    const { message: usual = '' }: BodyRefusal = BODY_ERRORS[code]
    super(message ?? usual)
    this.code = code
  }
}

/** A limit for the size of a decompressed body. */
export interface BodyLimit {
  bytes: number
  message: string
}

/** Returns the limit for the body of a route. `keyBytes` is the limit with the key of a world; undefined without such a key. */
export function bodyLimitOf(
  { role, isSnapshot = false }: ControlRoute,
  keyBytes?: number,
): BodyLimit {
  if (role === 'public' || role === 'invited') {
    return {
      bytes: KEYLESS_BYTES,
      message: `A body has at most ${showBytes(KEYLESS_BYTES)} here. Send less.`,
    }
  }
  if (keyBytes !== undefined) {
    const snapshotBytes = SNAPSHOT_FACTOR * keyBytes
    const message = `With the key of a world, a body has at most ${showBytes(keyBytes)}, and a snapshot ${showBytes(snapshotBytes)}: send less, or ask the person who invited you, who can prepare a world with more.`
    return { bytes: isSnapshot ? snapshotBytes : keyBytes, message }
  }
  const message = `A body has at most ${showBytes(BODY_BYTES)}: send less, or start the server with a file (--fixtures, --snapshot or --state).`
  return { bytes: BODY_BYTES, message }
}

/** Formats a size: `256 kB`. */
export function showBytes(bytes: number): string {
  if (bytes % MEGABYTE === 0) return `${bytes / MEGABYTE} MB`
  return bytes % KILOBYTE === 0 ? `${bytes / KILOBYTE} kB` : `${bytes} bytes`
}

/** @throws BodyError for a charset other than UTF-8 and ASCII */
export function requireUtf8(contentType = ''): void {
  const [, charset] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? []
  if (charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)) return
  throw new BodyError('invalid_request', `The charset ${charset} is not supported. Send UTF-8.`)
}

/**
 * Parses a body as JSON; returns an empty map for an empty body.
 *
 * @throws BodyError for a body that is not JSON, or is nested too deeply
 */
export function parseBody(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  const deep = findTooDeep(text)
  if (deep) {
    const place = `Line ${deep.line}, column ${deep.column}`
    throw new BodyError('body_too_deep', `${place} of the body: ${TOO_DEEP}`)
  }
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const message = `The body is not JSON: ${error.message}. Send a JSON object.`
    throw new BodyError('invalid_json', message)
  }
}

/**
 * Refuses fixtures in the form of text if they are longer than `TEXT_LENGTH`, or if the request has the key of a world.
 *
 * @throws BodyError
 */
export function requireShortText(body: unknown, { hasKey }: { hasKey: boolean }): void {
  const fixtures = isMap(body) ? body['fixtures'] : undefined
  const length = lengthOfText(fixtures)
  if (length > 0 && hasKey) {
    const message =
      'With the key of a world, fixtures are JSON: send them as an object, and not as a text.'
    throw new BodyError('invalid_request', message)
  }
  if (length <= TEXT_LENGTH) return
  const message = `Fixtures as YAML, or any other text, have at most ${showBytes(TEXT_LENGTH)} in a body: send them as an object, or start the server with a file (--fixtures).`
  throw new BodyError('body_too_large', message)
}

function lengthOfText(fixtures: unknown): number {
  if (typeof fixtures === 'string') return fixtures.length
  const files: unknown = isMap(fixtures) ? fixtures['files'] : undefined
  if (!Array.isArray(files)) return 0
  return files.reduce<number>((sum, file) => {
    const text: unknown = isMap(file) ? file['text'] : undefined
    return sum + (typeof text === 'string' ? text.length : 0)
  }, 0)
}
