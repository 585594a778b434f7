import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundle, measure, missingInBrowsers } from './bundle.ts'

test.each(['seo-sandbox', 'seo-sandbox/msw'])(
  'a page that imports %s needs nothing of Node, and Vite has nothing to warn of',
  async (name) => {
    const page = await bundle(`export * from '${name}'`)
    expect(missingInBrowsers(page)).toEqual([])
    expect(page.warnings).toEqual([])
  },
)

test('what needs Node would be noticed', async () => {
  const page = await bundle("export { loadFixtures } from 'seo-sandbox/server'")
  expect(missingInBrowsers(page)).toEqual(['__vite-browser-external'])
  expect(page.warnings.join('\n')).toContain('"node:path" has been externalized')
})

/** So coarse that not every change of the code makes the README untrue. */
const STEP_KB = 5

const { atOnce, onTop } = measure(await bundle("export { createSandbox } from 'seo-sandbox'"))
const sentence =
  `Minified and gzipped, the sandbox is up to ${toKilobytes(atOnce)} kB of a page. ` +
  `The default world is up to ${toKilobytes(onTop('/dist/fixtures/default-seed.js'))} kB more and the YAML parser ` +
  `${toKilobytes(onTop('/dist/fixtures/parse-yaml.js'))} kB, each loaded only when it is needed.`

test(`the README says: ${sentence}`, () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [stated = ''] = /^Minified and gzipped,[^]*? needed\.$/m.exec(readme) ?? []
  expect(stated.replaceAll('\n', ' ')).toBe(sentence)
})

/** Of 1,000 bytes, rounded up to a step. */
function toKilobytes(bytes: number): number {
  return Math.ceil(bytes / (STEP_KB * 1000)) * STEP_KB
}
