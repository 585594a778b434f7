import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { spawnCli } from '../support/cli.ts'

/** Path of the site on its host. */
export const SITE_PATH = '/a/demo'

/** Start of the worlds of exported sites, so that all begin alike. */
export const START = { now: '2026-03-15T12:00:00Z', frozen: true } as const

/** The folder of an exported site, removed with its scope. */
export interface ExportedSite extends AsyncDisposable {
  folder: string
  /** Files of the site, relative to the folder. */
  files: string[]
}

/** Exports a site by the command line: `exportSite('--demo')`. Its worlds begin frozen at `START`. */
export async function exportSite(...args: string[]): Promise<ExportedSite> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-static-'))
  const line = ['export', '--out', folder, '--now', START.now, '--frozen', ...args]
  const { code, stderr } = await spawnCli(line, { cwd: tmpdir() })
  if (code !== 0) throw new Error(`seo-sandbox export failed: ${stderr}`)
  const [, release = ''] =
    /^self\.SITE = (.*);$/m.exec(await readFile(join(folder, 'service-worker.js'), 'utf8')) ?? []
  const { files } = JSON.parse(release) as { files: string[] }
  return {
    folder,
    files,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** Exports a site whose worlds begin with these fixtures. */
export async function exportFixtures(fixtures: object, ...args: string[]): Promise<ExportedSite> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-fixtures-'))
  const file = join(folder, 'fixtures.json')
  await writeFile(file, JSON.stringify(fixtures))
  try {
    return await exportSite('--fixtures', file, ...args)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A plain web host with one site. */
export interface StaticHost extends AsyncDisposable {
  /** Address of the site, with a trailing slash. */
  url: string
  /**
   * Proxy for a browser. It serves the site under every host name, so that a page can have an address that is neither on this
   * machine nor HTTPS.
   */
  proxy: string
  /** Paths of all requests that have arrived. */
  requests: string[]
  /** Serves another folder instead. */
  serve: (folder: string) => void
  /** Stops the host and closes all connections. Later ones are refused. */
  stop: () => Promise<void>
}

interface HostOptions {
  /** True if the host redirects from `/index.html` to `/`, as many hosts do. */
  hasCleanUrls?: boolean
  /** Returns true for files that the host refuses to serve. */
  refuses?: (file: string) => boolean
}

/** Serves the files of a folder at a free port of the loopback address, below `SITE_PATH`. */
export async function openHost(
  site: string,
  { hasCleanUrls = false, refuses = () => false }: HostOptions = {},
): Promise<StaticHost> {
  let folder = site
  const requests: string[] = []
  const respond = async (path: string): Promise<Reply> => {
    if (path === SITE_PATH) return { status: 301, location: `${SITE_PATH}/` }
    if (!path.startsWith(`${SITE_PATH}/`) || path.includes('..')) return NOT_FOUND
    const file = path.slice(SITE_PATH.length + 1) || 'index.html'
    if (hasCleanUrls && path.endsWith('/index.html')) {
      return { status: 301, location: path.replace(/index\.html$/, '') }
    }
    if (refuses(file)) return { status: 503 }
    const bytes = await readFile(join(folder, file)).catch(() => undefined)
    return bytes ? { status: 200, type: TYPES[extname(file)] ?? 'text/plain', bytes } : NOT_FOUND
  }
  const server = createServer((request, response) => {
    // A browser sends whole addresses to a proxy.
    const { pathname } = new URL(request.url ?? '', 'http://host')
    requests.push(pathname)
    const send = ({ status, type = 'text/plain', location, bytes }: Reply): void => {
      const headers = {
        'Content-Type': type,
        ...(location !== undefined && { Location: location }),
        ...(bytes && { 'Content-Encoding': 'gzip' }),
        // The header of GitHub Pages.
        'Cache-Control': 'max-age=600',
        Vary: 'Accept-Encoding',
      }
      response.writeHead(status, headers).end(bytes && gzipSync(bytes, { level: 1 }))
    }
    respond(pathname).then(send, (error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    await new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  }
  return {
    url: `http://127.0.0.1:${port}${SITE_PATH}/`,
    proxy: `http://127.0.0.1:${port}`,
    requests,
    serve: (other) => void (folder = other),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

interface Reply {
  status: number
  type?: string
  location?: string
  bytes?: Buffer
}

const NOT_FOUND: Reply = { status: 404 }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
}
