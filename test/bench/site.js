/**
 * A site that `seo-sandbox export` writes, in Chromium: the files that a visitor loads until its world is on screen, the
 * time of that against the console over HTTP, and the length of the tasks of the page's own thread while its worker has a
 * large world.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { launchChromium, whyNoChromium } from './support/chromium.js'
import { measureLongestTask } from './support/longest-task.js'
import { BIN, startCommandLine } from './support/processes.js'
import { atMost, interleave, median, medianRatio, noMoreThan, within } from './support/report.js'

/** The highest allowed figures. */
const KILOBYTES = 260
const TIME_RATIO = 2.5
const TASK_MS = 100

const PROJECTS = 10_000

const title = 'A static site'

export async function measure({ isShort }) {
  const skipped = whyNoChromium()
  if (skipped) return { title, skipped }
  const browser = await launchChromium()
  try {
    const rounds = isShort ? 3 : 9
    return [
      ...(await withSite(['--demo'], (demo) => measureLoads(browser, demo, rounds))),
      await withSite(['--projects', String(PROJECTS)], (large) =>
        measureTasks(browser, large, isShort ? 1 : 3),
      ),
    ]
  } finally {
    await browser.close()
  }
}

async function measureLoads(browser, site, rounds) {
  const server = await startCommandLine(['--demo'])
  try {
    const loads = await measureWeight(browser, site)
    const kilobytes = loads.reduce((sum, [, size]) => sum + size, 0)
    const [ofServer, ofSite] = await interleave([server.url, site.url], { rounds }, async (url) => {
      const { ms } = await load(browser, url)
      return ms
    })
    const ratio = medianRatio(ofSite, ofServer)
    return [
      {
        title: 'What a visitor of a static site loads until its world is on screen',
        about:
          'the demo, in kilobytes of 1,000 bytes after gzip, without what the service worker stores afterwards',
        columns: ['', 'kB'],
        rows: [['all', kilobytes], ...loads.toSorted(([, one], [, other]) => other - one)],
        bars: [noMoreThan(KILOBYTES, 'kB until the world of a site is on screen', kilobytes)],
      },
      {
        title: 'How soon the world of a static site is on screen, against the console over HTTP',
        about: `medians of ${rounds} cold loads of the demo on loopback in milliseconds, each in a browser that has nothing of it; gzip for the site alone, as web hosts have it`,
        columns: ['', 'over HTTP', 'site', 'ratio'],
        rows: [['the demo on screen', median(ofServer), median(ofSite), ratio]],
        bars: [
          atMost(TIME_RATIO, 'the world of a site on screen, against the console over HTTP', ratio),
        ],
      },
    ]
  } finally {
    await server.stop()
  }
}

/** Exports a site, and serves it at a free port of the loopback address, gzipped, with the cache headers of GitHub Pages. */
async function withSite(args, work) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-site-'))
  const command = [BIN, 'export', '--out', folder, ...args]
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`seo-sandbox export failed: ${stderr}`)
  const sent = []
  const read = new Map()
  const respond = async ({ url }, response) => {
    const name = url.slice(1).split('?')[0] || 'index.html'
    if (!read.has(name)) read.set(name, readFile(join(folder, name)).then(zip))
    const bytes = await read.get(name).catch(() => undefined)
    if (!bytes) return response.writeHead(404).end()
    sent.push({ name, bytes: bytes.length, atMs: Date.now() })
    const headers = { ...HEADERS, 'Content-Type': TYPES[extname(name)] }
    return response.writeHead(200, headers).end(bytes)
  }
  const server = createServer(respond)
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  try {
    return await work({ url: `http://127.0.0.1:${server.address().port}/`, sent })
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  }
}

const zip = (bytes) => gzipSync(bytes, { level: 9 })

const HEADERS = { 'Content-Encoding': 'gzip', 'Cache-Control': 'max-age=600' }
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
}

/** A project on the page. */
const PROJECT = 'main a[href*="project="]'

/** Resolves when the name of the agency and a project are on screen, with the milliseconds since the page was requested. */
const ON_SCREEN = `globalThis.onScreen = new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    const isThere = document.querySelector('h1 bdi') && document.querySelector('${PROJECT}')
    if (!isThere) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  })
  observer.observe(document, { childList: true, subtree: true })
})`

/**
 * Loads a page in a browser with an empty cache. Returns the time at which it began, and the milliseconds until its world
 * was on screen.
 */
async function load(browser, url, options = {}) {
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    await page.addInitScript(ON_SCREEN)
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator(PROJECT).first().waitFor()
    return {
      begunMs: await page.evaluate('performance.timeOrigin'),
      ms: await page.evaluate('onScreen'),
    }
  } finally {
    await context.close()
  }
}

/** The files that a page loads until its world is on screen, with their kilobytes. */
async function measureWeight(browser, { url, sent }) {
  sent.length = 0
  const { begunMs, ms } = await load(browser, url, { serviceWorkers: 'block' })
  return sent
    .filter(({ atMs }) => atMs <= begunMs + ms)
    .map(({ name, bytes }) => [name, bytes / 1000])
}

/** The longest task of the page's own thread, which may only draw the results of its worker. */
async function measureTasks(browser, { url }, rounds) {
  const longest = []
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${url}?panel=world`)
    await page.locator('tbody tr[data-index]').first().waitFor()
    // The time of loading is not measured.
    await pause(2000)
    longest.push(await measureLongestTask(browser, page, useWorld))
    await context.close()
  }
  const named = `${PROJECTS.toLocaleString('en')} projects`
  return {
    title: `The longest task of the page of a static site with ${named}`,
    about: `of the page's own thread, in milliseconds of its time, of ${rounds} recorded visits that scroll the list, search it, open a project and advance the clock by a month`,
    columns: ['', 'median', 'highest'],
    rows: [[named, median(longest), Math.max(...longest)]],
    bars: [within(TASK_MS, `ms of the longest task with ${named}`, median(longest))],
  }
}

async function useWorld(page) {
  const box = await page.locator('.table').first().boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  for (let turn = 0; turn < 40; turn += 1) {
    await page.mouse.wheel(0, turn % 4 === 3 ? -2000 : 4000)
    await pause(50)
  }
  const search = page.getByRole('searchbox', { name: 'Search projects' })
  await search.pressSequentially('an', { delay: 100 })
  await pause(1000)
  await page.locator('tbody tr[data-index]').first().click()
  await page.getByRole('region', { name: 'Timeline' }).waitFor()
  await page.getByRole('button', { name: '+1 month' }).click()
  await pause(2000)
}

function pause(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
