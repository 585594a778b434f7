import { gzipSync } from 'node:zlib'
import { join, resolve } from 'node:path'
import { build, createLogger } from 'vite'
import type { Plugin, Rolldown } from 'vite'

const ROOT = resolve(import.meta.dirname, '../..')

/** In the package's own folder, so that its name resolves to the built package. */
const ENTRY = join(ROOT, 'entry-of-a-page.js')

/** A page's code as Vite bundles it for production. */
export interface Bundle {
  chunks: Rolldown.OutputChunk[]
  /** Warnings of Vite. */
  warnings: string[]
}

export async function bundle(code: string): Promise<Bundle> {
  const warnings: string[] = []
  const customLogger = createLogger('silent')
  customLogger.warn = customLogger.warnOnce = (message) => void warnings.push(message)
  const { output } = (await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    customLogger,
    plugins: [entry(code)],
    build: {
      write: false,
      rolldownOptions: { input: ENTRY, preserveEntrySignatures: 'strict' },
    },
  })) as Rolldown.RolldownOutput
  return { chunks: output.filter((part) => part.type === 'chunk'), warnings }
}

function entry(code: string): Plugin {
  return {
    name: 'entry-of-a-page',
    resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
    load: (id) => (id === ENTRY ? code : undefined),
  }
}

/** Returns dependencies that no browser has: external imports, and the stubs that Vite substitutes for Node's modules. */
export function missingInBrowsers({ chunks }: Bundle): string[] {
  const own = chunks.map(({ fileName }) => fileName)
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
  const stubs = chunks
    .flatMap(({ modules }) => Object.keys(modules))
    .filter((id) => id.includes('__vite-browser-external'))
  return [...imported.filter((name) => !own.includes(name)), ...stubs]
}

/** Bytes of a bundle, minified and gzipped. */
export interface Sizes {
  /** Size of everything that the page loads at once. */
  atOnce: number
  /** Returns the additional size loaded when the page imports the shared file of the package with this name on demand. */
  onTop: (name: string) => number
}

export function measure({ chunks }: Bundle): Sizes {
  const main = chunks.find(({ isEntry }) => isEntry)
  const atOnce = main ? withImports(main, chunks) : new Set<Rolldown.OutputChunk>()
  return {
    atOnce: gzippedBytes(atOnce),
    onTop: (name) => {
      const path = new RegExp(`/dist/shared/${name}-[\\w-]{8}\\.js$`)
      const lazy = chunks.find(({ facadeModuleId }) => path.test(facadeModuleId ?? ''))
      if (!lazy) throw new Error(`${name} is not imported on demand.`)
      return gzippedBytes([...withImports(lazy, chunks)].filter((chunk) => !atOnce.has(chunk)))
    },
  }
}

/** Returns a chunk with all chunks that it imports statically. */
function withImports(
  start: Rolldown.OutputChunk,
  chunks: Rolldown.OutputChunk[],
): Set<Rolldown.OutputChunk> {
  const needed = new Set([start])
  for (const { imports } of needed) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) needed.add(chunk)
  }
  return needed
}

function gzippedBytes(chunks: Iterable<Rolldown.OutputChunk>): number {
  return [...chunks].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)
}
