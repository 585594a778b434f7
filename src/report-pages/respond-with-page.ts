import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { toBase64 } from '../contract/text.ts'
import type { World } from '../world/world.ts'
import { isSigned, parsePagePath } from './page-links.ts'
import type { PageAddress } from './page-links.ts'
import { readReportPage } from './read-report-page.ts'
import { STYLE, renderHtml, renderSentence } from './report-html.ts'
import type { ReportPage } from './report-page.ts'
import { renderPdf } from './report-pdf.ts'

/** A page with a single sentence, sent in place of a report page. */
export interface SentencePage {
  status: number
  title: string
  sentence: string
  headers?: Readonly<Record<string, string>>
}

const NOT_FOUND: SentencePage = {
  status: 404,
  title: 'Not found',
  sentence: 'There is no page here. The links of a completed report in the API lead to its pages.',
}
const NOT_COMPLETED: SentencePage = {
  status: 404,
  title: 'Not completed',
  sentence: 'This report is not completed. It has a page when it is.',
}
const GONE: SentencePage = {
  status: 410,
  title: 'Gone',
  sentence: 'This report was regenerated or deleted. A regenerated report has new links.',
}
const READ_ONLY: SentencePage = {
  status: 405,
  title: 'Read-only',
  sentence: 'Pages of reports can only be read. Send GET or HEAD.',
  headers: { Allow: 'GET, HEAD' },
}

interface Form {
  type: string
  render: (page: ReportPage) => string
  encode: (text: string) => Uint8Array<ArrayBuffer>
}

const HTML: Form = { type: 'text/html; charset=utf-8', render: renderHtml, encode: toUtf8 }
const PDF: Form = { type: 'application/pdf', render: renderPdf, encode: toLatin1 }

const SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${toBase64(sha256(utf8ToBytes(STYLE)))}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Response to a request for a page. It has a body even for a HEAD request. */
export interface PageResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array<ArrayBuffer>
}

/** Access to the worlds of the requested pages. */
export interface PageSource {
  /**
   * Returns the world of an address, or a page to send instead; undefined if the world does not exist or is closed. Does
   * not check the signature.
   */
  find: (
    address: PageAddress,
  ) => World | SentencePage | undefined | Promise<World | SentencePage | undefined>
  /**
   * Calls `render`, and returns its result.
   *
   * @throws if the server is too busy, or if the world has reached a rate limit of the server
   */
  admit: <Result>(address: PageAddress, render: () => Result) => Result | Promise<Result>
  /** Returns true if the client has disconnected, so that rendering would be wasted. */
  hasLeft: () => boolean
}

/**
 * Responds to a request for the page of a report. No token is needed: anyone with the URL may read the page. Returns
 * undefined if the client has disconnected.
 */
export async function respondWithPage(
  { method, path }: { method: string; path: string },
  { find, admit, hasLeft }: PageSource,
): Promise<PageResponse | undefined> {
  if (method !== 'GET' && method !== 'HEAD') return toPage(READ_ONLY)
  const address = parsePagePath(path)
  const world = address && (await find(address))
  if (!world) return toPage(NOT_FOUND)
  if ('sentence' in world) return toPage(world)
  if (!isSigned(address, world)) return toPage(NOT_FOUND)
  return admit(address, () => {
    if (hasLeft()) return undefined
    const found = findPage(address, world)
    if ('sentence' in found) return toPage(found)
    const { page, form } = found
    const disposition = form === PDF ? { 'Content-Disposition': toDisposition(page) } : {}
    return respondWith(200, form, form.render(page), disposition)
  })
}

export function toPage({ status, title, sentence, headers }: SentencePage): PageResponse {
  return respondWith(status, HTML, renderSentence(title, sentence), headers)
}

function respondWith(
  status: number,
  form: Form,
  text: string,
  headers: PageResponse['headers'] = {},
): PageResponse {
  const body = form.encode(text)
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': form.type,
      'Content-Length': String(body.length),
      'Cache-Control': 'private, no-cache',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      // Not for PDFs, because the PDF viewers of browsers need their own styles.
      ...(form === HTML && { 'Content-Security-Policy': SECURITY_POLICY }),
    },
    body,
  }
}

function findPage(
  address: PageAddress,
  world: World,
): { page: ReportPage; form: Form } | SentencePage {
  const { records } = world
  const report = records.get('reports', address.report)
  const project = report && records.get('projects', report.project)
  if (!project) return GONE
  if (report.status !== 'completed') return NOT_COMPLETED
  const { report: id, signature } = address
  return {
    page: readReportPage({ report, project }, world, `${id}-${signature}.pdf`),
    form: address.isPdf ? PDF : HTML,
  }
}

function toUtf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** Encodes a string that has only Latin-1 characters. */
function toLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

const MAXIMUM_NAME_LENGTH = 100

/** Returns the Content-Disposition of a PDF: a file name with the name of the project, and an ASCII fallback. */
function toDisposition({ project, reportNumber }: ReportPage): string {
  const name = `${project.slice(0, MAXIMUM_NAME_LENGTH)} ${reportNumber}.pdf`
  // A file name must not contain slashes, control characters or unpaired surrogates.
  const wellFormed = new TextDecoder().decode(toUtf8(name.replaceAll(/[/\\\p{Cc}]/gu, '-')))
  const encoded = encodeURIComponent(wellFormed).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
  return `inline; filename="report-${reportNumber}.pdf"; filename*=UTF-8''${encoded}`
}
