import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { Cache } from '../contract/cache.ts'
import { showReportLink } from '../contract/report-facts.ts'
import { toBase64Url } from '../contract/text.ts'
import type { ApiRequest, ApiResponse, Bytes } from '../engine/messages.ts'
import { hasReports, route } from '../engine/router.ts'
import type { World } from '../world/world.ts'

/** The pages of reports are below this path. */
export const PAGES_PREFIX = '/reports'

/** Parts of the path of a page. */
export interface PageAddress {
  world: string
  report: number
  signature: string
  /** True for the PDF, false for the web page. */
  isPdf: boolean
}

const PATH = /^\/reports\/(\w{1,32})\/([1-9]\d{0,15})-([\w-]{22})(\.pdf)?$/

/** Reads the path of a page; undefined for any other path. */
export function parsePagePath(path: string): PageAddress | undefined {
  const [, world, report, signature, pdf] = PATH.exec(path) ?? []
  if (world === undefined || signature === undefined) return undefined
  return { world, report: Number(report), signature, isPdf: pdf !== undefined }
}

/** True if the path of a page was signed with the secret of its world. */
export function isSigned({ report, signature }: PageAddress, world: World): boolean {
  return isEqual(sign(report, world), signature)
}

/** The path of a report's web page; that of its PDF ends in `.pdf`. */
export function pagePath(report: number, world: World): string {
  return `${PAGES_PREFIX}/${world.options.id}/${report}-${sign(report, world)}`
}

/** Half of the hash, 22 characters. */
const SIGNATURE_BYTES = 16

function sign(report: number, { linkSecret }: World): string {
  const hash = hmac(sha256, utf8ToBytes(linkSecret), utf8ToBytes(`report ${report}`))
  return toBase64Url(hash.subarray(0, SIGNATURE_BYTES))
}

/** Compares texts of one length in the same time, wherever they differ, so that a signature cannot be guessed piece by piece. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

/** Turns the response of a world into the one that its client gets. */
export type Show = (response: ApiResponse, request: ApiRequest, world: World) => ApiResponse

/** A body as it was last sent. */
interface ShownBody {
  /** What its links were made with. */
  origin: string
  secret: string
  bytes: Bytes
}

const LIMITS = { entries: 2000, size: 16 * 1024 * 1024 }

/**
 * Shows the addresses of this server's pages in place of the links that worlds store. They begin with the origin of the
 * request.
 *
 * Worlds, journals and sessions do not know of this: a session has the same responses on any port. Of each body only
 * the one sent last is kept, so that clients cannot fill the memory with origins.
 *
 * @param pathOf The path of a report's web page.
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

/** A field of JSON with a link. Within a text, a quotation mark follows a backslash, so this is never found in one. */
const LINK = /"(pdf_link|web_link|report_web|report_pdf)":"(https:[^"]*)"/g

/** A body with the addresses of pages in place of stored links; `pageOf` gives that of a report's web page. */
function replaceLinks(body: Bytes, pageOf: (report: number) => string): Bytes {
  const text = decode(body)
  const shown = text?.replaceAll(
    LINK,
    (_, name: string, link: string) => `"${name}":"${showReportLink(link, pageOf)}"`,
  )
  return shown === undefined || shown === text ? body : new TextEncoder().encode(shown)
}

/** The text of a body; undefined for bytes that would not come back as they are. */
function decode(body: Bytes): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}
