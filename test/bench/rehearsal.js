/**
 * The cost of a rehearsal besides its requests: a year of a client that reads the demo each day, against the same requests
 * to a sandbox whose clock is set to each day, in turn in one process.
 */
import process from 'node:process'
import { createSandbox } from '../../dist/index.js'
import { rehearse } from '../../dist/rehearse.js'
import { atMost, median, medianRatio } from './support/report.js'

const BAR = 1.3
const START = '2026-01-01T06:00:00Z'

export async function measure({ isShort }) {
  const [rounds, length] = isShort ? [3, 'P3M'] : [5, 'P12M']
  const sent = await recordRequests(length)
  const times = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    times[0].push(await processorTime(() => sendAgain(sent)))
    times[1].push(await processorTime(() => rehearseReader(length)))
  }
  const seconds = times.map((each) => median(each) / 1e6)
  const count = sent.reduce((sum, { paths }) => sum + paths.length, 0)
  const ratio = medianRatio(times[1], times[0])
  return [
    {
      title: 'A rehearsal, against its requests alone',
      about: `seconds of the processor, medians of ${rounds} rounds in turn`,
      columns: ['', 'requests', 'without', 'rehearsed', 'ratio'],
      rows: [[length, count, ...seconds.map((each) => Number(each.toFixed(2))), ratio]],
      bars: [atMost(BAR, 'a rehearsal, against its requests alone', ratio)],
    },
  ]
}

async function processorTime(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** The requests of a rehearsal, by the days on which they are sent. */
async function recordRequests(length) {
  const days = []
  await rehearseReader(
    length,
    ({ now }) => days.push({ now, paths: [] }),
    (path) => days.at(-1).paths.push(path),
  )
  return days
}

/** Reads the reports of each project, and the content of each completed one, as a correct client does. */
async function rehearseReader(length, onRun, onRequest) {
  const known = new Set()
  await rehearse(
    async (context) => {
      onRun?.(context)
      const get = async (path) => {
        onRequest?.(path)
        return read(await context.fetch(context.url + path, requestOf(context.token)))
      }
      let next = '/api/v1/projects?status=active'
      while (next) {
        const page = await get(next)
        for (const { id } of page.data) {
          const path = `/api/v1/projects/${id}/reports`
          for (const { id: report, report_number: number, status } of (await get(path)).data) {
            if (status !== 'completed' || known.has(report)) continue
            await get(`${path}/${number}/content`)
            known.add(report)
          }
        }
        next = page.links.next
      }
    },
    {
      start: START,
      for: length,
      sandbox: await createSandbox({ demo: true, now: START, rateLimit: 'unlimited' }),
      require: [],
    },
  )
}

async function sendAgain(days) {
  const sandbox = await createSandbox({
    demo: true,
    now: START,
    rateLimit: 'unlimited',
    frozen: true,
  })
  const [{ token }] = sandbox.world.records.all('tokens')
  for (const { now, paths } of days) {
    await sandbox.clock.set(now)
    for (const path of paths)
      await read(await sandbox.fetch(`http://localhost${path}`, requestOf(token))).catch(() => {})
  }
}

function requestOf(token) {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
  return { headers, signal: AbortSignal.timeout(30_000) }
}

async function read(response) {
  const text = await response.text()
  if (!response.ok) throw new Error(String(response.status))
  return JSON.parse(text)
}
