import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import { toBase64Url } from '../contract/text.ts'
import { SessionError } from '../session/session-error.ts'
import type { SharedSession } from '../session/session.ts'
import { changed, ShareError } from './share-error.ts'

/** Beginning of the fragment of every link. The number in it increases with each change of the format. */
const PREFIX = 's1.'

const AGAIN = 'copy it again, all of it'

/** Maximum length of the fragment of a link, in characters. */
export const MAXIMUM_LENGTH = 65_536

const MAXIMUM_STEPS = 500

/** Maximum size of an unpacked link, in bytes. */
const MAXIMUM_BYTES = 2 ** 20

/**
 * Encodes a shared session as the fragment of a link; undefined if it is too long for a link, and must be shared as a session
 * file.
 */
export async function encodeLink(shared: SharedSession): Promise<string | undefined> {
  if (shared.steps.length > MAXIMUM_STEPS) return undefined
  const json = new TextEncoder().encode(JSON.stringify(shared))
  if (json.length > MAXIMUM_BYTES) return undefined
  const text = PREFIX + toBase64Url(await deflate(json))
  return text.length > MAXIMUM_LENGTH ? undefined : text
}

/**
 * Decodes the fragment of a link, without its `#`. Keeps at most 1 MB of inflated data in memory.
 *
 * @throws ShareError if the text was not made by {@link encodeLink}, or if its session does something that a partner's key must not
 * do.
 */
export async function decodeLink(text: string): Promise<SharedSession> {
  const input = parseJson(toText(await inflate(fromBase64Url(bodyOf(text)))))
  const { parseSharedSession } = await import('../session/session.ts')
  const { requireAllowed } = await import('./require-allowed.ts')
  let shared
  try {
    shared = parseSharedSession(input)
  } catch (error) {
    if (error instanceof SessionError) throw changed('link', error.place)
    throw error
  }
  if (shared.steps.length > MAXIMUM_STEPS) {
    throw new ShareError(
      `This link has ${shared.steps.length} steps, and a link may have ${MAXIMUM_STEPS}: ask whoever sent it for a session file.`,
    )
  }
  return requireAllowed(shared, 'link')
}

function bodyOf(text: string): string {
  if (text.length > MAXIMUM_LENGTH) {
    throw new ShareError(
      `This link has ${text.length} characters, and a link may have ${MAXIMUM_LENGTH}: ask for a session file.`,
    )
  }
  if (text.startsWith(PREFIX)) return text.slice(PREFIX.length)
  throw new ShareError(
    /^s\d{1,9}\./.test(text)
      ? 'This link is of another release of the sandbox: open it on the site that made it.'
      : `This is not a link of a sandbox, which begins with ${PREFIX} after the #: ${AGAIN}.`,
  )
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) {
    throw new ShareError(`This link is not in the format of links: ${AGAIN}.`)
  }
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0))
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/**
 * Inflates data chunk by chunk, and stops at the first chunk beyond `MAXIMUM_BYTES`.
 *
 * @throws ShareError if the data is damaged or too large
 */
async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  // Ignored, because reading fails with the same error.
  const ignored = (): undefined => undefined
  writer.write(bytes).catch(ignored)
  writer.close().catch(ignored)
  const inflated = new Uint8Array(MAXIMUM_BYTES)
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ShareError(`This link is damaged, and cannot be unpacked: ${AGAIN}.`)
    })
    if (done) return inflated.subarray(0, length)
    if (length + value.length > MAXIMUM_BYTES) {
      await reader.cancel()
      throw new ShareError('This link unpacks to more than 1 MB: ask for a session file.')
    }
    inflated.set(value, length)
    length += value.length
  }
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ShareError(`This link has something other than text in it: ${AGAIN}.`, {
      cause: error,
    })
  }
}

/** @throws ShareError if the text is nested too deep, or is not JSON */
function parseJson(text: string): unknown {
  if (findTooDeep(text)) {
    throw new ShareError(`This link is ${NESTED_TOO_DEEP}: ask for another one.`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ShareError(`This link has something other than JSON in it: ${AGAIN}.`, {
      cause: error,
    })
  }
}

export interface SiteFacts {
  /** Release that the site runs. */
  version: string
  /** Digest of the site's options. */
  digest: string
}

/**
 * Returns the warning to show before running shared content whose release or options differ from those of this site; undefined if
 * both are the same.
 */
export function compareWithSite(
  { release, site: { digest } }: Pick<SharedSession, 'release' | 'site'>,
  site: SiteFacts,
): string | undefined {
  const other =
    release === site.version
      ? undefined
      : `release ${release} of the sandbox, where this site has ${site.version}`
  const fixtures =
    digest === site.digest ? undefined : 'other fixtures or options than those of this site'
  const differences = [other, fixtures].filter((difference) => difference !== undefined)
  if (differences.length === 0) return undefined
  return `This was made with ${differences.join(', and with ')}: what it shows here may differ from what its sender saw.`
}
