/**
 * The cost of worlds, mainly generated ones: starts, memory, pages and first reads, each next to its bar.
 */
import { createSandbox } from 'seo-sandbox'
import { startCommandLine } from './support/processes.js'
import { atMost, interleave, median, medianRatio, within } from './support/report.js'

const SUPER = 'sandbox-super'
const HEADERS = { authorization: `Bearer ${SUPER}` }

const FIRST_ID = 1001
/** Coprime to the number of projects: its multiples visit each of them once, far apart. */
const STRIDE = 61_803

/** The default page size of projects. */
const PER_PAGE = 100

const READS_AT_ONCE = 8

/** The extent of the measurements. */
const FULL = {
  projects: 100_000,
  isolatedWorlds: 1000,
  starts: 3,
  reads: 10_000,
  rounds: 200,
  roundsOfPages: 60,
}
const SHORT = {
  projects: 10_000,
  isolatedWorlds: 100,
  starts: 1,
  reads: 500,
  rounds: 50,
  roundsOfPages: 20,
}
const WARM_UP_ROUNDS = 20

export async function measure({ isShort }) {
  const extent = isShort ? SHORT : FULL
  const { projects, isolatedWorlds, reads } = extent
  const sandbox = await createSandbox({ generate: { projects }, rateLimit: 'unlimited' })
  const touches = await touchProjects(sandbox, extent)
  const bars = [
    within(3, 'from the command to the first response, s', await timeStarts(extent)),
    within(500, `memory after ${reads} scattered reads, MB`, await measureMemory(extent)),
    within(
      300,
      `memory of ${isolatedWorlds} isolated worlds, one request to each, MB`,
      await measureIsolated(extent),
    ),
    atMost(
      1.2,
      `page ${projects / PER_PAGE} of the projects against page 1`,
      await comparePages(sandbox, extent),
    ),
    within(0.3, 'first read of a project, beyond another read of it, ms', touches.first),
    within(1.5, 'first read of a content, ms', touches.content),
    within(1, 'next read of a project, ms', touches.next),
    within(5, 'completing a report of 50 keywords, ms', await timeCompletions(extent)),
  ]
  return {
    title: 'Worlds',
    about: `worlds of ${projects} generated projects; medians of repeated measurements`,
    columns: ['', 'measured', 'target'],
    rows: bars.map(({ name, value, bar }) => [name, value, bar]),
    bars,
  }
}

/** Seconds from the start of the command line to its first response. */
async function timeStarts({ starts, projects }) {
  const times = []
  for (let count = 0; count < starts; count += 1) {
    const start = performance.now()
    const server = await startCommandLine(['--projects', String(projects)])
    await read(`${server.url}/api/v1/projects`)
    times.push((performance.now() - start) / 1000)
    await server.stop()
  }
  return median(times)
}

/** The resident memory of a new server, after reads of scattered projects and of pages of lists. */
async function measureMemory({ projects, reads }) {
  const server = await startCommandLine([
    '--projects',
    String(projects),
    '--rate-limit',
    'unlimited',
  ])
  let next = 0
  const readOn = async () => {
    while (next < reads) {
      next += 1
      await read(`${server.url}/api/v1${scatteredPath(next, projects)}`)
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn))
  const bytes = await server.memory()
  await server.stop()
  return bytes / 1e6
}

/** The resident memory of a server with this many isolated worlds of the default fixture. */
async function measureIsolated({ isolatedWorlds }) {
  const server = await startCommandLine([])
  for (let count = 0; count < isolatedWorlds; count += 1) {
    const made = await fetch(`${server.url}/_sandbox/worlds`, { method: 'POST' })
    const { tokens } = await made.json()
    await read(`${server.url}/api/v1/projects`, tokens['sandbox-super'])
  }
  const { worlds } = await (await fetch(`${server.url}/_sandbox/health`)).json()
  if (worlds !== isolatedWorlds + 1) throw new Error(`There are ${worlds} worlds.`)
  const bytes = await server.memory()
  await server.stop()
  return bytes / 1e6
}

function scatteredPath(count, projects) {
  const project = `/projects/${scatteredId(count, projects)}`
  const paths = [
    project,
    `${project}/reports`,
    `${project}/reports/latest`,
    `${project}/reports/1/content`,
    `${project}/keywords`,
    `/projects?page=${1 + ((count * STRIDE) % (projects / 20))}`,
  ]
  return paths[count % paths.length]
}

function scatteredId(count, projects) {
  return FIRST_ID + ((count * STRIDE) % projects)
}

/**
 * The time of a page far down the list, relative to the first. Its projects are read right before, because
 * both pages together exceed what a world caches; then the clock advances, so that no body is cached.
 */
async function comparePages(sandbox, { projects, roundsOfPages }) {
  const paths = ['/projects?page=1', `/projects?page=${projects / PER_PAGE}`]
  const extent = { rounds: roundsOfPages, warmUp: WARM_UP_ROUNDS }
  const [first, far] = await interleave(paths, extent, async (path) => {
    await timeAnswer(sandbox, path)
    await sandbox.clock.advance('PT1H')
    await timeAnswer(sandbox, '/projects?per_page=1')
    return timeAnswer(sandbox, path)
  })
  return medianRatio(far, first)
}

/** The time of the first read of a project relative to another read, the time of that read, and that of its first content. */
async function touchProjects(sandbox, { projects, rounds }) {
  const [first, next, content] = [[], [], []]
  for (let count = 0; count < rounds; count += 1) {
    const project = `/projects/${scatteredId(count, projects)}`
    const firstMs = await timeAnswer(sandbox, `${project}/reports`)
    const nextMs = await timeAnswer(sandbox, `${project}/reports/latest`)
    first.push(firstMs - nextMs)
    next.push(nextMs)
    content.push(await timeAnswer(sandbox, `${project}/reports/1/content`))
  }
  return { first: median(first), next: median(next), content: median(content) }
}

/** The time to write a completed report of a fixture again: `regenerate` completes it by commands alone. */
async function timeCompletions({ rounds }) {
  const keywords = Array.from({ length: 50 }, (_, index) => ({
    id: index + 1,
    keyword: `phrase ${index + 1}`,
    create_date: '2026-01-01',
  }))
  const reports = [{ id: 1, report_number: 1, status: 'completed', created_at: 'now' }]
  const project = { id: 1, agency: 1, name: 'Shoes', status: 'active', created_at: 'now' }
  const sandbox = await createSandbox({
    fixtures: {
      version: 1,
      agencies: [{ id: 1, name: 'North' }],
      projects: [{ ...project, keywords, reports }],
    },
  })
  const [times] = await interleave([sandbox], { rounds, warmUp: WARM_UP_ROUNDS }, async () => {
    const start = performance.now()
    await sandbox.reports.regenerate({ project: 1, report_number: 1 })
    return performance.now() - start
  })
  return median(times)
}

/** Milliseconds of a request in this process. */
async function timeAnswer(sandbox, path) {
  const start = performance.now()
  const response = await sandbox.fetch(`/api/v1${path}`, { headers: HEADERS })
  await response.arrayBuffer()
  const time = performance.now() - start
  if (response.status >= 500) throw new Error(`${path} responds with ${response.status}.`)
  return time
}

/** Requests a URL; a project may lack the requested data, but no request may be refused. */
async function read(url, token = SUPER) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  if (![200, 404].includes(response.status)) {
    throw new Error(`${url} responds with ${response.status}.`)
  }
}
