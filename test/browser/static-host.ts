import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { spawnCli } from '../support/cli.ts'

/** Where the site is on its host. */
export const SITE_PATH = '/a/demo'

/** When the worlds of exported sites begin, so that each is as the others. */
export const START = { now: '2026-03-15T12:00:00Z', frozen: true } as const

/** The folder of a site that was exported; it is removed with its scope. */
export interface ExportedSite extends AsyncDisposable {
  folder: string
  /** Its files, relative to the folder. */
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

/** A web host with one site, as plain as they come. */
export interface StaticHost extends AsyncDisposable {
  /** The address of the site, with a slash at its end. */
  url: string
  /** As the proxy of a browser it has every host, so that a page may be of one that is neither this machine nor HTTPS. */
  proxy: string
  /** The paths of all requests that have arrived. */
  requests: string[]
  /** Serves another folder in place of that. */
  serve: (folder: string) => void
  /** Ends, with all connections. Later ones are refused. */
  stop: () => Promise<void>
}

interface HostOptions {
  /** Whether it leads from `/index.html` to `/`, as many hosts do, and to files by their names without `.html`. */
  hasCleanUrls?: boolean
  /** The files that it refuses, for a while or for ever. */
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
    // As a proxy it is asked for whole addresses.
    const { pathname } = new URL(request.url ?? '', 'http://host')
    requests.push(pathname)
    const send = ({ status, type = 'text/plain', location, bytes }: Reply): void => {
      const headers = {
        'Content-Type': type,
        ...(location !== undefined && { Location: location }),
        ...(bytes && { 'Content-Encoding': 'gzip' }),
        // What GitHub Pages says.
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
