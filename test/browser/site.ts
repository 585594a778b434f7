import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, preview } from 'vite'
import type { InlineConfig, Plugin } from 'vite'

const ROOT = resolve(import.meta.dirname, '../..')

/** The msw that the page uses: the installed one, or the msw 3 at the path in MSW_3. */
const { MSW_3 } = process.env
const MSW = resolve(ROOT, MSW_3 ?? 'node_modules/msw')

export interface Site {
  origin: string
  close: () => Promise<void>
}

/** Files of the site, with their text, at paths that an imprecise handler would intercept. */
export const FILES = {
  '/api/v10/me': 'beside the prefix',
  '/service/api/v1/me': 'below another path',
}

/** Make every import of msw resolve to msw 3. */
const ALIASES = [
  { find: /^msw$/, replacement: join(MSW, 'lib/core/index.js') },
  { find: /^msw\/browser$/, replacement: join(MSW, 'lib/browser/index.js') },
]

/** Builds the page as its users would, and serves it on a free port of the loopback address. */
export async function openSite(): Promise<Site> {
  const outDir = await mkdtemp(join(tmpdir(), 'seo-sandbox-site-'))
  const config: InlineConfig = {
    root: join(import.meta.dirname, 'page'),
    configFile: false,
    logLevel: 'error',
    appType: 'mpa',
    publicDir: false,
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0 },
    plugins: [publicFiles({ ...FILES, '/mockServiceWorker.js': await readServiceWorker() })],
    resolve: { alias: MSW_3 === undefined ? [] : ALIASES },
  }
  await build(config)
  const server = await preview(config)
  const { port } = server.httpServer.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      await server.close()
      await rm(outDir, { recursive: true })
    },
  }
}

/** Returns the file that `npx msw init` writes to the public folder. */
function readServiceWorker(): Promise<string> {
  return readFile(join(MSW, 'lib/mockServiceWorker.js'), 'utf8')
}

function publicFiles(files: Record<string, string>): Plugin {
  return {
    name: 'public-files',
    generateBundle() {
      for (const [path, source] of Object.entries(files)) {
        this.emitFile({ type: 'asset', fileName: path.slice(1), source })
      }
    },
  }
}
