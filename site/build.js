import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { listExamples } from './examples.js'
import { findBrokenLinks } from './findings.js'
import { generatePages } from './generate.js'
import { writeRedirects } from './moved.js'
import { ROOT } from './pages.js'

/** Builds the site: `npm run site -- --base /any/path/ --out folder`. */
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: 'site/dist' },
  },
})
const base = `/${values.base}/`.replaceAll(/\/+/g, '/')
const outDir = resolve(values.out)

generatePages()
console.log(`${listExamples().size} examples can be run.`)
// VitePress links Vue into the package of the working directory, unless it is there.
process.chdir(join(ROOT, 'site'))
await build('.', { base, outDir }).catch((error) => {
  // The message alone: errors of the bundler also list all files.
  console.error(error.message)
  process.exit(1)
})
exportConsole()

const broken = findBrokenLinks(outDir, base)
for (const finding of broken) console.error(finding)
process.exitCode = broken.length > 0 ? 1 : 0
// Only now, so that a link of the site to an old address is found broken.
writeRedirects(outDir)

/**
 * Writes the console to the folder that *Try it* links to.
 *
 * @throws Error if the program fails
 */
function exportConsole() {
  const bin = join(ROOT, 'bin/seo-sandbox.js')
  const args = [bin, 'export', '--out', join(outDir, 'try'), '--base', `${base}try/`]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`seo-sandbox export failed: ${stderr}`)
}
