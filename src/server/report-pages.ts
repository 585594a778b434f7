import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { failWith } from '../adapters/fail-with.ts'
import { clientAddress } from '../adapters/node-request.ts'
import type { Target } from '../adapters/node-request.ts'
import { runWithPauses } from '../contract/steps.ts'
import type { Pause, Steps } from '../contract/steps.ts'
import { STYLE } from '../pages/page-style.ts'
import { renderHtml, renderSentence } from '../pages/report-html.ts'
import type { ReportPage } from '../pages/report-page.ts'
import { renderPdf } from '../pages/report-pdf.ts'
import { StoreError } from '../store/store-error.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import { WrongTries } from './admin-key.ts'
import type { Host } from './host.ts'
import { isSigned, parsePagePath } from './page-address.ts'
import type { PageAddress } from './page-address.ts'
import { readReportPage } from './read-report-page.ts'
import { LIMITED_HEADER, refusalHeaders, refusalStatus } from './store-refusal.ts'

/** A page that is sent instead of a report's. */
interface Sentence {
  status: number
  title: string
  sentence: string
  headers?: Readonly<Record<string, string>>
}

const NOT_FOUND: Sentence = {
  status: 404,
  title: 'Not found',
  sentence: 'There is no page here. The links of a completed report in the API lead to its pages.',
}
const NOT_COMPLETED: Sentence = {
  status: 404,
  title: 'Not completed',
  sentence: 'This report is not completed. It has a page when it is.',
}
const GONE: Sentence = {
  status: 410,
  title: 'Gone',
  sentence: 'This report was regenerated or deleted. A regenerated report has new links.',
}
const READ_ONLY: Sentence = {
  status: 405,
  title: 'Read-only',
  sentence: 'Pages of reports can only be read. Send GET or HEAD.',
  headers: { Allow: 'GET, HEAD' },
}

interface Form {
  type: string
  encoding: BufferEncoding
  render: (page: ReportPage) => Steps<string>
}

const HTML: Form = { type: 'text/html; charset=utf-8', encoding: 'utf8', render: renderHtml }
const PDF: Form = { type: 'application/pdf', encoding: 'latin1', render: renderPdf }

const SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface FoundPage {
  page: ReportPage
  form: Form
}

/** The pages that the links of reports lead to. They need no token: anyone with the address of a page may read it. */
export function createReportPages(
  { worlds, store, work }: Host,
  hops: number,
): (request: IncomingMessage, response: ServerResponse, target: Target) => void {
  const wrongLinks = new WrongTries()
  return (request, response, { path }) => {
    answer(request, response, path).catch((error: unknown) => {
      if (error instanceof StoreError) sendSentence(request, response, toSentence(error))
      else failWith(error, response)
    })
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    const { method } = request
    const isRead = method === 'GET' || method === 'HEAD'
    const address = isRead ? parsePagePath(path) : undefined
    const world = address && (await findWorld(address, clientAddress(request, hops)))
    if (!world || 'sentence' in world) {
      sendSentence(request, response, world ?? (isRead ? NOT_FOUND : READ_ONLY))
      return
    }
    // One at a time for each world: many at once would be rendered beyond its share.
    await work.inTurn(address.world, () =>
      work.run(address.world, () =>
        sendPage(request, response, findPage(address, world), work.pauseOf(address.world)),
      ),
    )
  }

  /** The world of a link; undefined for a wrong one. Few worlds are loaded for wrong links. */
  async function findWorld(
    address: PageAddress,
    client: string,
  ): Promise<World | Sentence | undefined> {
    const { world: id } = address
    // Anyone who knows the seed of the default world can compute its links.
    if (id === DEFAULT_WORLD && store?.isDefaultClosed === true) return undefined
    const isHeld = worlds.holds?.(id) ?? true
    const waitSeconds = isHeld ? 0 : wrongLinks.count(client)
    if (waitSeconds > 0) return tooManyWrong(waitSeconds)
    let isLoadedInVain = false
    try {
      const world = await worlds.find(id)
      if (world && isSigned(address, world)) return world
      isLoadedInVain = world !== undefined
      return undefined
    } finally {
      if (!isHeld && !isLoadedInVain) wrongLinks.forgive(client)
    }
  }

  async function sendPage(
    request: IncomingMessage,
    response: ServerResponse,
    found: FoundPage | Sentence,
    pause: Pause,
  ): Promise<void> {
    if (response.destroyed) return
    if ('sentence' in found) {
      sendSentence(request, response, found)
      return
    }
    const { page, form } = found
    const text = await runWithPauses(form.render(page), pause)
    if (form === PDF) response.setHeader('Content-Disposition', toDisposition(page))
    send(request, response, { type: form.type, body: Buffer.from(text, form.encoding) })
  }
}

function tooManyWrong(waitSeconds: number): Sentence {
  return {
    status: 429,
    title: 'Too many wrong links',
    sentence: `Too many wrong links came from this address. Open this one again after ${waitSeconds} s.`,
    headers: { 'Retry-After': String(waitSeconds), [LIMITED_HEADER]: 'host' },
  }
}

/** Why the host or its store refuses a page. */
function toSentence(error: StoreError): Sentence {
  return {
    status: refusalStatus(error),
    title: 'Not now',
    sentence: error.message,
    headers: refusalHeaders(error),
  }
}

function findPage(address: PageAddress, world: World): FoundPage | Sentence {
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

function sendSentence(
  request: IncomingMessage,
  response: ServerResponse,
  { status, title, sentence, headers = {} }: Sentence,
): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  send(request, response, { type: HTML.type, body: Buffer.from(renderSentence(title, sentence)) })
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { type, body }: { type: string; body: Buffer },
): void {
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', body.byteLength)
  response.setHeader('Cache-Control', 'private, no-cache')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('X-Robots-Tag', 'noindex')
  // The PDF viewers of browsers have styles of their own.
  if (type === HTML.type) response.setHeader('Content-Security-Policy', SECURITY_POLICY)
  response.end(method === 'HEAD' ? undefined : body)
}

const LONGEST_NAME = 100

/** The file name of a PDF: by its project, or in ASCII for browsers that cannot show that. */
function toDisposition({ project, reportNumber }: ReportPage): string {
  const name = `${project.slice(0, LONGEST_NAME)} ${reportNumber}.pdf`
  // A file name has no slashes, and no half of a surrogate pair.
  const wellFormed = Buffer.from(name.replaceAll(/[/\\\p{Cc}]/gu, '-')).toString()
  const encoded = encodeURIComponent(wellFormed).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
  return `inline; filename="report-${reportNumber}.pdf"; filename*=UTF-8''${encoded}`
}
