import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { toBase64Url } from '../contract/base64.ts'
import type { World } from '../world/world.ts'

/** The pages of reports are below this path. */
export const PAGES_PREFIX = '/reports'

/** What the path of a page names. */
export interface PageAddress {
  world: string
  report: number
  signature: string
  /** Whether it is the PDF rather than the web page. */
  isPdf: boolean
}

const PATH = /^\/reports\/(\w{1,32})\/([1-9]\d{0,15})-([\w-]{22})(\.pdf)?$/

/** Reads the path of a page; undefined for any other path. */
export function parsePagePath(path: string): PageAddress | undefined {
  const [, world, report, signature, pdf] = PATH.exec(path) ?? []
  if (world === undefined || signature === undefined) return undefined
  return { world, report: Number(report), signature, isPdf: pdf !== undefined }
}

/** Whether the path of a page was made with the secret of its world. */
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
