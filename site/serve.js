import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const TYPES = /** @type {Record<string, string>} */ ({
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
})

/**
 * Serves a folder like a host of static files: compressed, with a lifetime of a year for files with a hash in their name.
 *
 * @param {string} folder
 * @param {string} base
 * @returns {Promise<{ origin: string, close: () => void }>}
 */
export async function serveFolder(folder, base) {
  const server = createServer(({ url = '' }, response) => {
    const file = find(folder, base, new URL(url, 'http://localhost').pathname)
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES[extname(file ?? '.html')] ?? 'application/octet-stream',
      'content-encoding': 'gzip',
      'cache-control': url.startsWith(`${base}assets/`)
        ? 'max-age=31536000, immutable'
        : 'no-cache',
    })
    response.end(gzipSync(readFileSync(file ?? join(folder, '404.html'))))
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * @param {string} folder
 * @param {string} base
 * @param {string} pathname
 */
function find(folder, base, pathname) {
  if (!pathname.startsWith(base)) return undefined
  const path = decodeURIComponent(pathname.slice(base.length)).replace(/(^|\/)$/, '$1index.html')
  const file = join(folder, path)
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}
