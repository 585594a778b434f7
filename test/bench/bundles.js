/**
 * The code that a page loads of the sandbox at once, minified and gzipped, as each of four bundlers splits it. Bundlers
 * other than Vite are installed into test/bench/bundlers.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build as buildWithVite } from 'vite'
import { noMoreThan } from './support/report.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = new URL('bundlers/', import.meta.url)

const title = 'What a page loads at once, by bundler'

/** The highest allowed size in kilobytes of 1,000 bytes. */
const BAR = 61

/** Functions that bundle the page of a folder, and return the code that the page loads at once. */
const BUNDLERS = { esbuild, Vite: vite, Rollup: rollup, webpack }

export async function measure() {
  const missing = await whyMissing()
  if (missing) return { title, skipped: missing }
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-bundles-'))
  try {
    await writePage(folder)
    const rows = []
    const add = (name, codes) => {
      const bytes = codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0)
      rows.push([name, codes.length, bytes / 1000])
    }
    for (const [name, bundle] of Object.entries(BUNDLERS)) add(name, await bundle(folder))
    const bars = rows.map(([name, , kilobytes]) =>
      noMoreThan(BAR, `kB of a page at once, by ${name}`, kilobytes),
    )
    add('esbuild without splitting', await esbuild(folder, { splitting: false }))
    return {
      title,
      about:
        "`import { createSandbox } from 'seo-sandbox'`, minified, in kilobytes of 1,000 bytes after gzip; esbuild with `splitting`, except in the last line",
      columns: ['', 'files', 'kB'],
      rows,
      bars,
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function whyMissing() {
  const installed = await readdir(new URL('node_modules', FOLDER)).catch(() => [])
  if (installed.includes('webpack')) return undefined
  return 'The bundlers are not installed: npm ci --prefix test/bench/bundlers.'
}

/** A page that uses the sandbox, in a project that has installed it. */
async function writePage(folder) {
  await mkdir(join(folder, 'node_modules'))
  await symlink(ROOT, join(folder, 'node_modules/seo-sandbox'), 'junction')
  await writeFile(join(folder, 'page.js'), "export { createSandbox } from 'seo-sandbox'\n")
}

/** A package of test/bench/bundlers. */
async function load(name) {
  const path = createRequire(new URL('package.json', FOLDER)).resolve(name)
  return import(pathToFileURL(path).href)
}

async function esbuild(folder, { splitting = true } = {}) {
  const { build } = await load('esbuild')
  const { metafile, outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['page.js'],
    bundle: true,
    minify: true,
    splitting,
    format: 'esm',
    outdir: 'esbuild',
    write: false,
    metafile: true,
  })
  const files = Object.entries(metafile.outputs).map(([path, { entryPoint, imports }]) => ({
    fileName: path,
    isEntry: entryPoint === 'page.js',
    imports: imports.filter(({ kind }) => kind === 'import-statement').map((one) => one.path),
    code: outputFiles.find((file) => file.path === join(folder, path)).text,
  }))
  return atOnce(files)
}

async function vite(folder) {
  const { output } = await buildWithVite({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      rolldownOptions: { input: join(folder, 'page.js'), preserveEntrySignatures: 'strict' },
    },
  })
  return atOnce(output)
}

async function rollup(folder) {
  const [{ rollup: open }, { nodeResolve }, { default: terser }] = await Promise.all(
    ['rollup', '@rollup/plugin-node-resolve', '@rollup/plugin-terser'].map(load),
  )
  const bundle = await open({
    input: join(folder, 'page.js'),
    plugins: [nodeResolve({ browser: true })],
  })
  const { output } = await bundle.generate({ format: 'es', plugins: [terser({ module: true })] })
  await bundle.close()
  return atOnce(output)
}

async function webpack(folder) {
  const { default: create } = await load('webpack')
  const path = join(folder, 'webpack')
  const compiler = create({
    mode: 'production',
    context: folder,
    entry: './page.js',
    output: { path, library: { type: 'module' } },
    experiments: { outputModule: true },
  })
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, result) => (error ? reject(error) : resolve(result.toJson())))
  })
  if (stats.errors.length > 0) throw new Error(stats.errors[0].message)
  const { assets } = stats.entrypoints.main
  return Promise.all(assets.map(({ name }) => readFile(join(path, name))))
}

/** The code of the entry and of its static imports. */
function atOnce(files) {
  const needed = new Set(files.filter(({ isEntry }) => isEntry))
  for (const { imports } of needed) {
    for (const file of files) if (imports.includes(file.fileName)) needed.add(file)
  }
  return [...needed].map(({ code }) => code)
}
