import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { isReplaced } from '../adapters/fail-with.ts'
import { CONSOLE_PREFIX } from '../control-api/prefix.ts'
import { readPart } from './package-files.ts'

/** The HTML of the console. Its scripts and styles are in the folder `console` beside it. */
const PAGE = new URL('../../build/console/index.html', import.meta.url)

/** Names of the console's scripts and styles. Requests cannot read files with other names. */
const FILE_NAME = /^[\w-]+\.(?:js|css)$/

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** Hash of `FRAME_STYLE` of the console, the only inline style allowed in frames of the page. */
const FRAME_STYLE_HASH = 'sha256-KlnUCLzu0Wt+CW3OufD43qUf1KGQt8nutK9P1mTQKHo='

/**
 * Permitted sources: the page's own files, data from this server, images, and documents without scripts in frames. No directive
 * permits `'unsafe-inline'`.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${FRAME_STYLE_HASH}'`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
]

/** The policy for the page of a static site. It omits `frame-ancestors`, which browsers ignore in a `<meta>` element. */
export const PAGE_POLICY = POLICY.join('; ')

const CONTENT_SECURITY_POLICY = [...POLICY, "frame-ancestors 'none'"].join('; ')

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept',
}

const FILE_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const COMMON_HEADERS = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/** Returns the console's page for `/`, or a file that the page loads; undefined for any other request. */
function fileOf({ method, headers }: IncomingMessage, path: string): URL | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (path === '/') return prefersHtml(headers) ? PAGE : undefined
  const name = path.startsWith(`${CONSOLE_PREFIX}/`) ? path.slice(CONSOLE_PREFIX.length + 1) : ''
  return FILE_NAME.test(name) ? new URL(`console/${name}`, PAGE) : undefined
}

/**
 * True if a request accepts HTML, and does not prefer JSON by a higher quality or, at equal quality, by naming it first. Without a
 * token, a wildcard is enough, because a mail scanner that got a 404 would report the link of an invitation as dead.
 */
function prefersHtml({ accept = '*/*', authorization }: IncomingHttpHeaders): boolean {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  const isNamed = authorization !== undefined || ranges.some(({ type }) => type === 'text/html')
  const html = isNamed ? 'text/html' : '*/*'
  const [preferred] = ranges
    .filter(({ type, quality }) => quality > 0 && [html, 'application/json'].includes(type))
    .toSorted((one, other) => other.quality - one.quality)
  return preferred?.type === html
}

/** Sends the requested file of the console. Returns false if the console has no such file. */
export async function sendConsoleFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<boolean> {
  const file = fileOf(request, path)
  const content = file && (await readIfAny(file))
  if (!content) return false
  response.writeHead(200, {
    ...COMMON_HEADERS,
    ...(file === PAGE ? PAGE_HEADERS : FILE_HEADERS),
    'Content-Type': TYPES[extname(file.pathname)],
    'Content-Length': content.byteLength,
  })
  response.end(request.method === 'HEAD' ? undefined : content)
  return true
}

/** Returns the content of a file; undefined if the console has no such file. Throws if the page itself is missing. */
async function readIfAny(file: URL): Promise<Buffer | undefined> {
  try {
    return await readPart(file)
  } catch (error) {
    if (file === PAGE || !isReplaced(error)) throw error
    await readPart(PAGE)
    return undefined
  }
}
