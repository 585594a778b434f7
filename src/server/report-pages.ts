import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { failWith } from '../adapters/fail-with.ts'
import type { Target } from '../adapters/node-request.ts'
import { runWithPauses } from '../contract/steps.ts'
import type { Steps } from '../contract/steps.ts'
import { STYLE } from '../pages/page-style.ts'
import { renderHtml, renderSentence } from '../pages/report-html.ts'
import type { ReportPage } from '../pages/report-page.ts'
import { renderPdf } from '../pages/report-pdf.ts'
import type { Host } from './host.ts'
import { createPause } from './pacing.ts'
import { isSigned, parsePagePath } from './page-address.ts'
import { readReportPage } from './read-report-page.ts'

/** A page that is sent instead of a report's. */
interface Sentence {
  status: number
  title: string
  sentence: string
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
  host: Host,
): (request: IncomingMessage, response: ServerResponse, target: Target) => void {
  const pause = createPause()
  // One at a time: however many are asked for, whatever else the server does waits for one turn.
  let lastPage = Promise.resolve()
  return (request, response, { path }) => {
    const answer = async (): Promise<void> => {
      const found = await findPage(request, path, host)
      if ('sentence' in found) sendSentence(request, response, found)
      else await sendPage(request, response, found)
    }
    lastPage = lastPage.then(answer).catch((error: unknown) => failWith(error, response))
  }

  async function sendPage(
    request: IncomingMessage,
    response: ServerResponse,
    { page, form }: FoundPage,
  ): Promise<void> {
    if (response.destroyed) return
    const text = await runWithPauses(form.render(page), pause)
    if (form === PDF) response.setHeader('Content-Disposition', toDisposition(page))
    send(request, response, { type: form.type, body: Buffer.from(text, form.encoding) })
  }
}

async function findPage(
  { method }: IncomingMessage,
  path: string,
  host: Host,
): Promise<FoundPage | Sentence> {
  if (method !== 'GET' && method !== 'HEAD') return READ_ONLY
  const address = parsePagePath(path)
  const world = address && (await host.worlds.find(address.world))
  if (!world || !isSigned(address, world)) return NOT_FOUND
  const { records } = world
  const report = records.get('reports', address.report)
  const project = report && records.get('projects', report.project)
  if (!project) return GONE
  if (report.status !== 'completed') return NOT_COMPLETED
  const { report: id, signature } = address
  return {
    page: readReportPage({ report, project }, { records, pdf: `${id}-${signature}.pdf` }),
    form: address.isPdf ? PDF : HTML,
  }
}

function sendSentence(
  request: IncomingMessage,
  response: ServerResponse,
  { status, title, sentence }: Sentence,
): void {
  response.statusCode = status
  if (status === READ_ONLY.status) response.setHeader('Allow', 'GET, HEAD')
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
