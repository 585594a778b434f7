import { toBase64Url } from '../contract/base64.ts'
import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import { ShareError } from './share-error.ts'
import { LINK_LIMITS, MAXIMUM_LINK_LENGTH } from './share-limits.ts'
import type { Shared } from './shared.ts'

/** Begins every link; its number grows with every change of the format. */
const PREFIX = 's1.'

const AGAIN = 'copy it again, all of it'

/** What is shared, as the fragment of a link; undefined if it is too large for one, and has to be saved as a session file. */
export async function encodeLink(shared: Shared): Promise<string | undefined> {
  const requests = shared.steps.filter((step) => 'request' in step).length
  const commands = shared.steps.length - requests
  if (requests > LINK_LIMITS.requests || commands > LINK_LIMITS.commands) return undefined
  const json = new TextEncoder().encode(JSON.stringify(shared))
  if (json.length > LINK_LIMITS.bytes) return undefined
  const text = PREFIX + toBase64Url(await deflate(json))
  return text.length > MAXIMUM_LINK_LENGTH ? undefined : text
}

/**
 * Reads the fragment of a link, without its `#`. At most 1 MB of what it inflates to is held in memory.
 *
 * @throws ShareError for anything but what {@link encodeLink} returns, and for what the key of a partner may not do.
 */
export async function decodeLink(text: string): Promise<Shared> {
  const bytes = fromBase64Url(bodyOf(text))
  const json = toText(await inflate(bytes))
  const input = parseJson(json)
  const { readShared } = await import('./read-shared.ts')
  return readShared(input, LINK_LIMITS)
}

function bodyOf(text: string): string {
  if (text.length > MAXIMUM_LINK_LENGTH) {
    throw new ShareError(
      `This link has ${text.length} characters, and one may have ${MAXIMUM_LINK_LENGTH}: ask for a session file.`,
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

/** Reads chunk by chunk, and stops with the first one beyond the limit. @throws ShareError */
async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  // Reading reports what is wrong with the bytes.
  const ignored = (): undefined => undefined
  writer.write(bytes).catch(ignored)
  writer.close().catch(ignored)
  const inflated = new Uint8Array(LINK_LIMITS.bytes)
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ShareError(`This link is damaged, and cannot be unpacked: ${AGAIN}.`)
    })
    if (done) return inflated.subarray(0, length)
    if (length + value.length > LINK_LIMITS.bytes) {
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

/** @throws ShareError */
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
