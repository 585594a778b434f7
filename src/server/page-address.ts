import { createHmac, timingSafeEqual } from 'node:crypto'
import type { World } from '../world/world.ts'
import { PAGES_PREFIX } from './prefixes.ts'

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
  return timingSafeEqual(Buffer.from(sign(report, world)), Buffer.from(signature))
}

/** The path of a report's web page; that of its PDF ends in `.pdf`. */
export function pagePath(report: number, world: World): string {
  return `${PAGES_PREFIX}/${world.options.id}/${report}-${sign(report, world)}`
}

/** Half of the hash, 22 characters. */
const SIGNATURE_BYTES = 16

function sign(report: number, { linkSecret }: World): string {
  const hash = createHmac('sha256', linkSecret).update(`report ${report}`).digest()
  return hash.subarray(0, SIGNATURE_BYTES).toString('base64url')
}
