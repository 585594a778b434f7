/**
 * `npm run screenshots -- FOLDER`: writes images of every panel of the console for visual review, with data, without, and with
 * long names, at 390 and 1280 px in both themes; and the images of README.md and docs/console.md, in FOLDER/docs.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { startServer } from 'seo-sandbox/server'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('Name the folder for the images: npm run screenshots -- FOLDER\n')
  process.exit(2)
}

const { CHROMIUM = '/usr/bin/chromium' } = process.env
const PANELS = [
  'overview',
  'world',
  'connect',
  'traffic',
  'faults',
  'policies',
  'scenarios',
  'reference',
]
const THEMES = /** @type {const} */ (['light', 'dark'])

/** Time for the page to draw everything after its heading, in milliseconds. */
const SETTLING_MS = 1200

const LONG =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Søn '

const LONG_NAMES = {
  version: 1,
  agencies: [{ id: 1, name: LONG.repeat(3) }],
  tokens: [{ id: 1, name: LONG.repeat(3), token: 'sandbox-agency', agency: 1 }],
  projects: [
    {
      id: 101,
      agency: 1,
      name: LONG.repeat(3),
      company_name: LONG.repeat(3),
      status: 'active',
      created_at: '2025-01-01T00:00:00Z',
      domain: `https://${'long-'.repeat(40)}.example`,
      keywords: [{ id: 1001, keyword: LONG.repeat(2), create_date: '2025-01-01' }],
      reports: [
        {
          id: 5001,
          report_number: 1,
          report_name: LONG.repeat(3),
          status: 'completed',
          created_at: '2026-03-01T00:00:00Z',
          date_to_create_texts: '2026-03-01',
          content: { 1001: [{ h3: LONG.repeat(2), text: LONG.repeat(9) }] },
        },
      ],
    },
  ],
}

const WORLDS = {
  demo: { demo: true, now: '2026-03-15T12:00:00Z' },
  empty: { scenario: 'empty-agency', now: '2026-03-15T12:00:00Z' },
  long: { fixtures: LONG_NAMES, now: '2026-03-15T12:00:00Z' },
}

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
try {
  for (const [name, options] of Object.entries(WORLDS)) {
    const server = await startServer({ port: 0, frozen: true, ...options })
    try {
      await mkdir(join(folder, 'docs'), { recursive: true })
      if (name !== 'empty') await addTraffic(server)
      for (const width of [1280, 390]) {
        for (const theme of THEMES) await takePanels(server.url, { name, width, theme })
      }
      if (name === 'demo') await takeForDocs(server.url)
    } finally {
      await server.close()
    }
  }
} finally {
  await browser.close()
}

/** Sends requests of several kinds, some of which use up much of a token's minute, and arms a fault. */
async function addTraffic({ url, sandbox }) {
  const [project] = sandbox.world.records.all('projects')
  const token = sandbox.world.records.all('tokens').find(({ status }) => status === 'active')
  const paths = ['/me', '/projects', `/projects/${project.id}/reports/latest`, '/projects/999999']
  await sandbox.faults.add({
    kind: 'status',
    status: 503,
    endpoint: 'GET /me',
    schedule: { nth: 4 },
  })
  for (let count = 0; count < 40; count += 1) {
    const headers = { authorization: `Bearer ${token.token}` }
    await fetch(`${url}/api/v1${paths[count % paths.length]}`, { headers })
  }
}

async function takePanels(url, { name, width, theme }) {
  const page = await browser.newPage({ colorScheme: theme, viewport: { width, height: 900 } })
  for (const panel of PANELS) {
    await show(page, `${url}/?panel=${panel}`)
    await page.screenshot({ path: join(folder, `${panel}-${name}-${width}-${theme}.png`) })
  }
  await page.close()
}

async function takeForDocs(url) {
  const page = await browser.newPage({
    viewport: { width: 1100, height: 860 },
    deviceScaleFactor: 0.6,
  })
  for (const panel of ['overview', 'world', 'traffic']) {
    await show(page, `${url}/?panel=${panel}`)
    const png = await page.screenshot()
    await writeFile(join(folder, 'docs', `${panel}.webp`), await toWebp(page, png))
  }
  await page.close()
}

/** Converts an image to WebP, a third of the size, because the package includes these images. */
async function toWebp(page, png) {
  const bytes = await page.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d').drawImage(image, 0, 0)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.5 })
    return [...new Uint8Array(await blob.arrayBuffer())]
  }, png.toString('base64'))
  return Buffer.from(bytes)
}

async function show(page, address) {
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForTimeout(SETTLING_MS)
}
