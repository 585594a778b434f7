import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundle, measure, missingInBrowsers } from './bundle.ts'

test.each(['seo-sandbox', 'seo-sandbox/msw'])(
  'a page that imports %s needs no module of Node, and Vite reports no warnings',
  { tags: ['core'] },
  async (name) => {
    const page = await bundle(`export * from '${name}'`)
    expect(missingInBrowsers(page)).toEqual([])
    expect(page.warnings).toEqual([])
  },
)

test('an import of a Node module is detected', async () => {
  const page = await bundle("export { loadFixtures } from 'seo-sandbox/server'")
  expect(missingInBrowsers(page)).toEqual(['__vite-browser-external'])
  expect(page.warnings.join('\n')).toContain('"node:path" has been externalized')
})

/** Coarse, so that not every code change outdates the page. */
const STEP_KB = 5

/** Files loaded with the first option, command or fixture that is validated. */
const VALIDATION = ['parse-settings', 'prepare-command', 'stated-seeds']

test('docs/test-runners.md states the sizes of the bundle', { tags: ['core'] }, async () => {
  const { atOnce, onTop } = measure(await bundle("export { createSandbox } from 'seo-sandbox'"))
  const sentence =
    `Minified and gzipped, the sandbox adds up to ${toKilobytes(atOnce)} kB to a page, and the review of clients ` +
    `up to ${toKilobytes(onTop('record-review'))} kB. Loaded on demand are the default world, up to ${toKilobytes(onTop('default-seed'))} kB, ` +
    `the validation of options, commands and fixtures, up to ${toKilobytes(Math.max(...VALIDATION.map(onTop)))} kB, ` +
    `and the YAML parser, ${toKilobytes(onTop('parse-yaml'))} kB.`
  const page = readFileSync(new URL('../../docs/test-runners.md', import.meta.url), 'utf8')
  const [stated = ''] = /^Minified and gzipped,[^]*?YAML[^]*?\./m.exec(page) ?? []
  expect(stated.replaceAll('\n', ' ')).toBe(sentence)
})

/** Kilobytes of 1,000 bytes, rounded up to {@link STEP_KB}. */
function toKilobytes(bytes: number): number {
  return Math.ceil(bytes / (STEP_KB * 1000)) * STEP_KB
}
