import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { Cache } from '../contract/cache.ts'
import { showReportLink } from '../contract/report-facts.ts'
import { toBase64Url } from '../contract/text.ts'
import type { ApiRequest, ApiResponse, Bytes } from '../engine/messages.ts'
import { hasReports, route } from '../engine/router.ts'
import type { World } from '../world/world.ts'

/** Path prefix of all report pages. */
export const PAGES_PREFIX = '/reports'

/** Parsed path of a page. */
export interface PageAddress {
  world: string
  report: number
  signature: string
  /** True for the PDF, false for the web page. */
  isPdf: boolean
}

const PATH = /^\/reports\/(\w{1,32})\/([1-9]\d{0,15})-([\w-]{22})(\.pdf)?$/

/** Parses the path of a page; returns undefined for any other path. */
export function parsePagePath(path: string): PageAddress | undefined {
  const [, world, report, signature, pdf] = PATH.exec(path) ?? []
  if (world === undefined || signature === undefined) return undefined
  return { world, report: Number(report), signature, isPdf: pdf !== undefined }
}

/** True if the path of a page was signed with the secret of its world. */
export function isSigned({ report, signature }: PageAddress, world: World): boolean {
  return isEqual(sign(report, world), signature)
}

/** Returns the path of a report's web page. The path of its PDF is the same with `.pdf` appended. */
export function pagePath(report: number, world: World): string {
  return `${PAGES_PREFIX}/${world.options.id}/${report}-${sign(report, world)}`
}

/** Half of the hash, which makes 22 characters in the path. */
const SIGNATURE_BYTES = 16

function sign(report: number, { linkSecret }: World): string {
  const hash = hmac(sha256, utf8ToBytes(linkSecret), utf8ToBytes(`report ${report}`))
  return toBase64Url(hash.subarray(0, SIGNATURE_BYTES))
}

/**
 * Compares two strings in a time that does not depend on their content, so that a signature cannot be guessed piece by
 * piece.
 */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

/** Converts the response of a world to the response that its client receives. */
export type Show = (response: ApiResponse, request: ApiRequest, world: World) => ApiResponse

/** A body as it was last sent. */
interface ShownBody {
  /** Origin of the URLs in the body. */
  origin: string
  /** Secret that signed these URLs. */
  secret: string
  bytes: Bytes
}

const LIMITS = { entries: 2000, size: 16 * 1024 * 1024 }

/**
 * Creates a function that replaces the stored links in a response with URLs of this server's pages. These begin with
 * the origin of the request.
 *
 * Worlds, journals and sessions keep the stored links, so that the responses of a session are the same on any port. Of
 * each body, only the version that was sent last is cached, so that clients cannot fill the memory with origins.
 *
 * @param pathOf Returns the path of a report's web page.
 */
export function createPageLinks(pathOf = pagePath): Show {
  const shownBodies = new Cache<Bytes, ShownBody>({
    ...LIMITS,
    sizeOf: (body, { bytes }) => body.byteLength + bytes.byteLength,
  })
  const show = (body: Bytes, origin: string, world: World): Bytes => {
    const { linkSecret: secret } = world
    const shown = shownBodies.get(body)
    if (shown?.origin === origin && shown.secret === secret) return shown.bytes
    const bytes = replaceLinks(body, (report) => `${origin}${pathOf(report, world)}`)
    shownBodies.set(body, { origin, secret, bytes })
    return bytes
  }
  return (response, { path, origin }, world) => {
    const found = response.status === 200 ? route(path) : undefined
    if (!found || !hasReports(found.operation)) return response
    return { ...response, body: show(response.body, origin, world) }
  }
}

/** A JSON field with a link. No match can be inside a string value, because quotation marks are escaped there. */
const LINK = /"(pdf_link|web_link|report_web|report_pdf)":"(https:[^"]*)"/g

/** Replaces the stored links in a body with URLs of pages. `pageOf` returns the URL of a report's web page. */
function replaceLinks(body: Bytes, pageOf: (report: number) => string): Bytes {
  const text = decode(body)
  const shown = text?.replaceAll(
    LINK,
    (_, name: string, link: string) => `"${name}":"${showReportLink(link, pageOf)}"`,
  )
  return shown === undefined || shown === text ? body : new TextEncoder().encode(shown)
}

/** Decodes a body; undefined if it is not UTF-8, because encoding the string would then not restore the same bytes. */
function decode(body: Bytes): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}
