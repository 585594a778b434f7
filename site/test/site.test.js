import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findChromium, launchChromium } from '../../test/browser/chromium.ts'
import { listExamples, toModule } from '../examples.js'
import { findBrokenLinks, findForbidden, listHtml, weigh } from '../findings.js'
import { MOVED } from '../moved.js'
import { ROOT, listLinkedFiles, listPages, read, toAddress } from '../pages.js'
import { serveFolder } from '../serve.js'

const LIMIT_BYTES = 200_000

/** Minimum number of runnable examples, and the mark of an example in a page. */
const EXAMPLES = 8
const BUTTON = 'class="run-example"'

const folder = mkdtempSync(join(tmpdir(), 'seo-sandbox-site-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(['/', '/a/b/'])('built for %s', (base) => {
  const outDir = join(folder, base, 'out')
  const htmlOf = (/** @type {string} */ page) => readFileSync(join(outDir, page), 'utf8')

  beforeAll(() => {
    const args = [join(ROOT, 'site/build.js'), '--base', base, '--out', outDir]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stdout + stderr)
  })

  test('each page of the repository is one of the site, and each file that it links to', () => {
    const built = new Set(listHtml(outDir).map((page) => `/${page}`.replace(/\/index\.html$/, '/')))
    expect(listPages().filter((page) => !built.has(toAddress(page)))).toEqual([])
    expect(listLinkedFiles().length).toBeGreaterThan(10)
    for (const file of listLinkedFiles()) {
      expect(built).toContain(toAddress(`${file}.md`))
      expect(readFileSync(join(outDir, file), 'utf8')).toBe(read(file))
    }
  })

  test('each link leads to a file below the base, and each anchor to a heading', () => {
    expect(findBrokenLinks(outDir, base)).toEqual([])
  })

  test.each(Object.entries(MOVED))('%s leads to %s', (old, page) => {
    const html = htmlOf(toAddress(old).slice(1))
    const targets = [...html.matchAll(/(?:url=|(?:rel="canonical"|<a) href=")([^"]+)"/g)]
    const urls = targets.map(
      ([, target]) => new URL(`${target}`, `http://host${base}${toAddress(old).slice(1)}`).pathname,
    )
    expect(urls).toEqual(Array(3).fill(`${base}${toAddress(page).slice(1)}`))
    expect(listPages()).toContain(page)
    expect(listPages()).not.toContain(old)
  })

  test('the policy of a page allows its own scripts, and nothing else that is inline', () => {
    expect(findForbidden(outDir)).toEqual([])
  })

  test('no page loads more than 200 kB, compressed', () => {
    const heavy = listHtml(outDir).filter((page) => weigh(outDir, base, page) > LIMIT_BYTES)
    expect(heavy).toEqual([])
    expect(weigh(outDir, base, 'index.html')).toBeGreaterThan(50_000)
  })

  test('the reference shows each operation, and offers both documents', () => {
    for (const [name, file] of [
      ['api', 'openapi.json'],
      ['control-api', 'control-openapi.json'],
    ]) {
      const document = JSON.parse(readFileSync(join(outDir, `${file}`), 'utf8'))
      const overview = htmlOf(`reference/${name}/index.html`)
      for (const [path, item] of Object.entries(document.paths)) {
        for (const method of Object.keys(item)) {
          expect(overview).toContain(`<code>${method.toUpperCase()} ${path}</code>`)
        }
      }
    }
  })

  test('llms.txt names the Markdown of each page, and llms-full.txt contains it', () => {
    const index = htmlOf('llms.txt')
    const full = htmlOf('llms-full.txt')
    expect(index).toMatch(/^# seo-sandbox\n\n> \S/)
    const named = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => `${path}`)
    expect(named.filter((path) => !existsSync(join(outDir, path)))).toEqual([])
    for (const page of listPages().filter((path) => path !== 'docs/README.md')) {
      expect(named).toContain(page)
      expect(full).toContain(read(page))
    }
  })

  test('in Chromium a page asks only its own host and breaks no policy, search finds, dark is dark, and Try it opens the console', async () => {
    const { page, address, messages, requested } = await openBrowser(outDir, base)
    const asked = (/** @type {string} */ name) => requested.some((url) => url.includes(name))

    await page.goto(`${address}docs/getting-started.html`)
    await page.waitForLoadState('networkidle')
    expect(asked('localSearchIndex')).toBe(false)

    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(await background()).toBe('rgb(255, 255, 255)')
    await page.getByRole('switch', { name: 'Switch to dark theme' }).click()
    await expect.poll(background).toBe('rgb(27, 27, 31)')

    await page.locator('#local-search button').click()
    await page.locator('#localsearch-input').fill('snapshot')
    await page.locator('#localsearch-list a', { hasText: 'Snapshots' }).first().click()
    await expect.poll(() => page.url()).toMatch(/\.html#/)
    expect(asked('localSearchIndex')).toBe(true)

    await page.goto(`${address}docs/hosting/ten-partners.html`)
    await page.waitForURL(`${address}docs/hosting/`)

    await page.getByRole('link', { name: 'Try it' }).click()
    await page.getByRole('link', { name: 'Traffic' }).waitFor()
    expect(page.url()).toContain(`${address}try/`)

    expect(messages).toEqual([])
    expect(requested.filter((url) => !url.startsWith(address))).toEqual([])
  })

  test('in Chromium each example with a button runs, by the keyboard, and asks no other host', async () => {
    const { page, address, messages, requested } = await openBrowser(outDir, base)
    /** @type {{ at: string, status: string, output: string }[]} */
    const runs = []
    for (const path of listHtml(outDir).filter((one) => htmlOf(one).includes(BUTTON))) {
      await page.goto(`${address}${path}`)
      await page.waitForLoadState('networkidle')
      for (const example of await page.locator('.run-example').all()) {
        await example.getByRole('button', { name: 'Run' }).press('Enter')
        const status = example.getByRole('status')
        await expect
          .poll(() => status.innerText(), { timeout: 30_000 })
          .toMatch(/^(Done|The example failed)/)
        const output = example.getByRole('region', { name: 'Output' })
        const shown = (await output.isVisible()) ? await output.innerText() : ''
        runs.push({ at: path, status: await status.innerText(), output: shown })
      }
    }
    expect(runs.length).toBeGreaterThanOrEqual(EXAMPLES)
    expect(runs.filter(({ status, output }) => status !== 'Done.' || output === '')).toEqual([])
    expect(runs.find(({ at }) => at === 'index.html')?.output).toBe('503\n')
    expect(messages).toEqual([])
    expect(requested.filter((url) => !url.startsWith(address))).toEqual([])
  })
})

describe('what can run', () => {
  test('of the examples of the pages, at least as many as now', () => {
    expect(listExamples().size).toBeGreaterThanOrEqual(EXAMPLES)
  })

  const created = `import { createSandbox } from 'seo-sandbox'
const sandbox = await createSandbox()
`
  test.each([
    ['a request', `${created}await sandbox.fetch('/api/v1/me')`],
    ['types', `import type { Report } from 'seo-sandbox'\n${created}const reports: Report[] = []`],
    ['names of inner scopes', `${created}for (const { id } of [{ id: 1 }]) console.log(id)`],
  ])('%s', (_, code) => {
    expect(toModule(code)).toContain('export async function run(console, show) {')
  })

  test.each([
    ['a module of Node', `import { join } from 'node:path'\n${created}`],
    ['another package', `import { test } from 'vitest'\n${created}`],
    ['another entry of this one', `import { handlers } from 'seo-sandbox/msw'\n${created}`],
    ['a sandbox from elsewhere', `await sandbox.fetch('/api/v1/me')`],
    ['what asks other hosts', `${created}await fetch('https://any.host')`],
    ['a global of Node', `${created}console.log(process.env)`],
    ['import()', `${created}await import('node:fs')`],
    ['import.meta', `${created}console.log(import.meta.url)`],
    ['an export', `${created}export const one = 1`],
    ['a fragment', `${created}const headers = { … }`],
  ])('not %s', (_, code) => {
    expect(toModule(code)).toBeUndefined()
  })

  test('an expression with a comment behind it is shown, and the last one', () => {
    const code = `${created}sandbox.clock.freeze()\nsandbox.clock.read() // now\nsandbox.faults.list();`
    const shown = [...(toModule(code) ?? '').matchAll(/show\("(.+?)"/g)]
    expect(shown.map(([, source]) => source)).toEqual([
      'sandbox.clock.read()',
      'sandbox.faults.list()',
    ])
  })
})

describe('what is looked for', () => {
  const outDir = join(folder, 'made-up')
  beforeAll(() => mkdirSync(outDir))

  test.each([
    ['<a href="gone.html">', 'index.html leads to gone.html, which does not exist.'],
    ['<a href="/index.html">', 'index.html leads to /index.html, which does not exist.'],
    ['<a href="#two">', 'index.html leads to #two, but index.html has no such heading.'],
    [
      '<link rel="icon" href="https://other.example/x.png">',
      'index.html leads to https://other.example/x.png, which does not exist.',
    ],
  ])('%s is found', (html, finding) => {
    writeFileSync(join(outDir, 'index.html'), `<h2 id="one"></h2><a href="#one"></a>${html}`)
    expect(findBrokenLinks(outDir, '/a/')).toEqual([finding])
  })

  test.each([
    [
      '<script>alert()</script>',
      'index.html has a script that its policy refuses: <script>alert()</script>',
    ],
    ['<p style="color:red">', 'index.html has inline styles or handlers.'],
  ])('%s is found', (html, finding) => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">`
    writeFileSync(join(outDir, 'index.html'), policy + html)
    expect(findForbidden(outDir)).toEqual([finding])
  })
})

/**
 * Opens a page of Chromium, and records its console output and its requests.
 *
 * @param {string} outDir
 * @param {string} base
 */
async function openBrowser(outDir, base) {
  const site = await serveFolder(outDir, base)
  const browser = await launchChromium(findChromium(process.env))
  onTestFinished(async () => {
    await browser.close()
    site.close()
  })
  const page = await browser.newPage({ colorScheme: 'light' })
  /** @type {string[]} */
  const messages = []
  /** @type {string[]} */
  const requested = []
  // Chromium does not log a refused `eval` if the page expected the refusal.
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      console.error('The policy refused', effectiveDirective, blockedURI)
    })`,
  )
  page.on('console', (message) => messages.push(message.text()))
  page.on('pageerror', (error) => messages.push(error.message))
  page.on('request', (request) => requested.push(request.url()))
  return { page, address: `${site.origin}${base}`, messages, requested }
}
