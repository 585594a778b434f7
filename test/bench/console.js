/**
 * The console in Chromium: the length of the tasks of the page's own thread, and the time to its first paint. A task's time
 * is that of the thread (`tdur`), which other processes of the machine do not lengthen.
 */
import { Agent, get } from 'node:http'
import { launchChromium, whyNoChromium } from './support/chromium.js'
import { measureLongestTask } from './support/longest-task.js'
import { startCommandLine } from './support/processes.js'
import { median, within } from './support/report.js'

const ENTRIES = 10_000
const PER_SECOND = 500
const FILE_BYTES = 50_000_000

/** The highest allowed figures. */
const TASK_MS = 50
const PAINT_MS = 300

const VIEW = { width: 1280, height: 800 }

const title = 'The console'

export async function measure({ isShort }) {
  const skipped = whyNoChromium()
  if (skipped) return { title, skipped }
  const [traces, seconds] = isShort ? [1, 2] : [3, 5]
  const browser = await launchChromium()
  try {
    const traffic = await withServer(['--journal', '20000'], async (url) => {
      await request(url, ENTRIES)
      return {
        paint: await measurePaint(browser, url, isShort ? 3 : 9),
        tasks: [
          [
            `${ENTRIES.toLocaleString('en')} entries, ${PER_SECOND} requests a second arriving`,
            await trace(browser, `${url}/?panel=traffic`, traces, (page) =>
              follow(page, url, seconds),
            ),
          ],
          [
            'the same, with a search and the list scrolled',
            await trace(browser, `${url}/?panel=traffic&q=projects`, traces, (page) =>
              Promise.all([follow(page, url, seconds), scroll(page, seconds)]),
            ),
          ],
          [
            `a HAR file of ${FILE_BYTES / 1_000_000} MB opened and filtered`,
            await trace(browser, `${url}/?panel=traffic`, traces, openFile, makeFile),
          ],
        ],
      }
    })
    const projects = isShort ? 10_000 : 100_000
    const named = `${projects.toLocaleString('en')} projects`
    const world = await withServer(['--projects', String(projects)], async (url) => [
      [
        `${named} scrolled`,
        await trace(browser, `${url}/?panel=world`, traces, (page) => scroll(page, seconds)),
      ],
      [
        `${named} searched, one opened, and each panel`,
        await trace(browser, `${url}/?panel=world`, traces, lookAround),
      ],
    ])
    const tasks = [...traffic.tasks, ...world]
    return [
      {
        title: 'The longest task of the console',
        about: `of the page's own thread, in milliseconds of its time, of ${traces} recorded traces`,
        columns: ['', 'median', 'highest'],
        rows: tasks.map(([name, longest]) => [name, median(longest), Math.max(...longest)]),
        bars: tasks.map(([name, longest]) =>
          within(TASK_MS, `ms of the longest task, ${name}`, median(longest)),
        ),
      },
      {
        title: 'The page of the console',
        about: 'its first paint on loopback, median of loads',
        columns: ['', ''],
        rows: [['first paint, ms', traffic.paint]],
        bars: [within(PAINT_MS, 'ms to the first paint of the console', traffic.paint)],
      },
    ]
  } finally {
    await browser.close()
  }
}

async function withServer(args, work) {
  const server = await startCommandLine(args)
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

const PATHS = ['/projects/101', '/me', '/projects?page=2', '/projects/999999', '/countries']
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Sends requests as fast as they are answered, or `perSecond` of them. */
async function request(url, count, perSecond = Infinity) {
  const begun = performance.now()
  let sent = 0
  const send = async () => {
    while (sent < count) {
      const index = sent
      sent += 1
      const aheadMs = (index / perSecond) * 1000 - (performance.now() - begun)
      if (aheadMs > 1) await pause(aheadMs)
      await ask(`${url}/api/v1${PATHS[index % PATHS.length]}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
}

function ask(url) {
  const headers = { Authorization: 'Bearer sandbox-unlimited' }
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}

function pause(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** The longest task of each trace, in milliseconds. */
async function trace(browser, address, traces, work, prepare) {
  const longest = []
  for (let count = 0; count < traces; count += 1) {
    const page = await browser.newPage({ viewport: VIEW })
    await page.goto(address)
    await page.locator('tbody tr[data-index]').first().waitFor()
    await prepare?.(page)
    // The time of loading is not measured.
    await pause(2000)
    longest.push(await measureLongestTask(browser, page, work))
    await page.close()
  }
  return longest
}

async function follow(page, url, seconds) {
  await request(url, PER_SECOND * seconds, PER_SECOND)
  await page.getByRole('link', { name: /^Traffic/ }).waitFor()
}

async function scroll(page, seconds) {
  const box = await page.locator('.table').first().boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  const until = performance.now() + seconds * 1000
  for (let turn = 0; performance.now() < until; turn += 1) {
    await page.mouse.wheel(0, turn % 4 === 3 ? -2000 : 4000)
    await pause(50)
  }
}

/** Searches for a project, opens it and goes through the panels. */
async function lookAround(page) {
  await page.getByRole('searchbox', { name: 'Search projects' }).pressSequentially('an', {
    delay: 100,
  })
  await pause(1000)
  await page.locator('tbody tr[data-index]').first().click()
  await page.getByRole('region', { name: 'Timeline' }).waitFor()
  for (const link of await page.locator('nav a:visible').all()) {
    await link.click()
    await pause(500)
  }
}

/** Creates a file in the page: one of this size cannot be sent to it by the browser's protocol. */
async function makeFile(page) {
  const entry = {
    startedDateTime: '2026-03-15T12:00:00.000Z',
    time: 1.5,
    request: { method: 'GET', url: 'http://127.0.0.1:4010/api/v1/projects/101?a=1', headers: [] },
    response: { status: 200, headers: [], content: { size: 900, text: 'x'.repeat(900) } },
  }
  const count = Math.ceil(FILE_BYTES / JSON.stringify(entry).length)
  await page.evaluate(
    `{
      const entries = Array.from({ length: ${count} }, () => ${JSON.stringify(JSON.stringify(entry))})
      const file = new File(['{"log":{"entries":[', entries.join(','), ']}}'], 'large.har')
      window.large = new DataTransfer()
      window.large.items.add(file)
    }`,
  )
}

async function openFile(page) {
  await page.evaluate(
    'dispatchEvent(new DragEvent("drop", { dataTransfer: window.large, cancelable: true }))',
  )
  await page.getByText('a HAR file with').waitFor()
  await page.getByRole('searchbox').pressSequentially('projects 200')
  await page.getByRole('button', { name: 'Back to the live traffic' }).click()
}

const FIRST_PAINT = `new Promise((resolve) => {
  const observer = new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint')
    if (paint) resolve(paint.startTime)
  })
  observer.observe({ type: 'paint', buffered: true })
})`

/** Milliseconds from the request for the page to its first paint, in a browser with an empty cache. */
async function measurePaint(browser, url, loads) {
  const paints = []
  for (let count = 0; count < loads; count += 1) {
    const page = await browser.newPage({ viewport: VIEW })
    await page.goto(url)
    paints.push(await page.evaluate(FIRST_PAINT))
    await page.close()
  }
  return median(paints)
}
