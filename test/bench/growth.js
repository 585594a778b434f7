/**
 * The cost of a request in small and in large worlds, through `sandbox.answer`: every endpoint, and pages of
 * the project list. The sizes alternate in one process. The clock is frozen, so that a body is either cached
 * in every world, or, after the clock was advanced, regenerated in every world.
 */
import { createSandbox } from 'seo-sandbox'
import { OPERATIONS } from '../../build/contract/operations.js'
import { atMost, interleave, median, medianRatio } from './support/report.js'
import { toRequest } from './support/requests.js'

const SIZES = [10, 1000, 100_000]
const TOKEN = 'sandbox-super'

/** Maximum cost of a request in the largest world, relative to the smallest. */
const BAR = 1.2

/** The projects of the smallest world, which every world has. */
const PROJECTS = Array.from({ length: SIZES[0] }, (_, index) => 1001 + index)
/** Number of records that the requests of a target rotate over, all of them read before. */
const HANDFUL = 5

/** Lists of projects, of the same length in every world. */
const LISTS = ['', '&page=2', '&status=active', '&search=a', '&status=active&search=a&page=1'].map(
  (rest) => `/projects?per_page=${HANDFUL}${rest}`,
)

const FULL = { rounds: 101, roundsOfNew: 151, requests: 300, worlds: [1, 100, 1000] }
const SHORT = { rounds: 21, roundsOfNew: 101, requests: 100, worlds: [1, 100, 300] }

export async function measure({ isShort }) {
  const extent = isShort ? SHORT : FULL
  const sandboxes = []
  for (const projects of SIZES) sandboxes.push(await createWorld({ generate: { projects } }))
  const targets = findTargets(sandboxes[0])
  // Only a warm-up: a reset discards generated projects and search results.
  for (const sandbox of sandboxes) {
    for (const { requests } of targets) askEach(sandbox, requests)
    await sandbox.reset()
  }
  return [
    await measureKept(sandboxes, targets, extent),
    await measureNew(sandboxes, targets, extent),
    await measureWorlds(extent),
  ]
}

function createWorld(options) {
  return createSandbox({
    ...options,
    now: '2026-03-02T09:00:00Z',
    frozen: true,
    rateLimit: 'unlimited',
  })
}

/** The measured requests: each endpoint for a handful of records, and the lists of projects. */
function findTargets(sandbox) {
  const endpoints = Object.values(OPERATIONS).filter(({ path }) => path !== '/projects')
  return [
    ...endpoints.map(({ path }) => ({ name: path, requests: findAnswered(sandbox, path) })),
    ...LISTS.map((path) => ({ name: path, requests: [ask(path)] })),
  ]
}

/** Requests to an endpoint for the first records for which it responds with 200. */
function findAnswered(sandbox, path) {
  const requests = listPaths(sandbox, path)
    .map((each) => ask(each))
    .filter((request) => sandbox.answer(request).status === 200)
    .slice(0, HANDFUL)
  if (requests.length === 0) throw new Error(`${path} never responds with 200.`)
  return requests
}

/** The path of an endpoint, filled in with the ids of records. */
function listPaths(sandbox, path) {
  const [, list, parameter] = /^(\/\w+)\/\{(\w+)\}/.exec(path) ?? []
  if (parameter === undefined) return [path]
  const ids = parameter === 'project' ? PROJECTS : listIds(sandbox, list)
  const numbered = path.replace('{report_number}', '1')
  return ids.map((id) => numbered.replace(`{${parameter}}`, id))
}

function listIds(sandbox, list) {
  const { body } = sandbox.answer(ask(list))
  return JSON.parse(Buffer.from(body).toString()).data.map(({ id }) => id)
}

function ask(path, token = TOKEN) {
  return toRequest(`/api/v1${path}`, { token })
}

function askEach(sandbox, requests) {
  for (const request of requests) {
    const { status } = sandbox.answer(request)
    if (status !== 200) throw new Error(`${request.path} responds with ${status}.`)
  }
}

/** Microseconds per request, rotating over the requests. */
function timeRequests(sandbox, requests, count) {
  const start = performance.now()
  for (let index = 0; index < count; index += 1) sandbox.answer(requests[index % requests.length])
  return ((performance.now() - start) * 1000) / count
}

const SIZE_COLUMNS = SIZES.map((size) => size.toLocaleString('en'))

async function measureKept(sandboxes, targets, { rounds, requests: count }) {
  const extent = { rounds, warmUp: 5 }
  const results = await compareSizes(sandboxes, targets, extent, (sandbox, requests) =>
    timeRequests(sandbox, requests, count),
  )
  return {
    title: 'Requests with their bodies cached, by the number of projects',
    about: `medians of ${rounds} rounds of ${count} requests in process, in microseconds per request`,
    ...toTable(results, 'body kept'),
  }
}

async function measureNew(sandboxes, targets, { roundsOfNew: rounds }) {
  const extent = { rounds, warmUp: 10 }
  const results = await compareSizes(sandboxes, targets, extent, async (sandbox, requests) => {
    await sandbox.clock.advance('PT1M')
    return timeRequests(sandbox, requests, requests.length)
  })
  return {
    title: 'Requests with their bodies regenerated, by the number of projects',
    about: `medians of ${rounds} rounds in process, the clock advanced by a minute before each, in microseconds per request`,
    ...toTable(results, 'body new'),
  }
}

/** Measures each target in alternation over the sizes; returns the results of each size, by target. */
async function compareSizes(sandboxes, targets, extent, time) {
  const sides = targets.flatMap(({ requests }) =>
    sandboxes.map((sandbox) => ({ sandbox, requests })),
  )
  const results = await interleave(sides, extent, ({ sandbox, requests }) =>
    time(sandbox, requests),
  )
  return targets.map(({ name }, index) => ({
    name,
    times: results.slice(index * SIZES.length, (index + 1) * SIZES.length),
  }))
}

/** A row for each target, and a bar for the largest world against the smallest. */
function toTable(results, kind) {
  const ratios = results.map(({ times }) => medianRatio(times.at(-1), times[0]))
  return {
    columns: ['', ...SIZE_COLUMNS, 'ratio'],
    rows: results.map(({ name, times }, index) => [name, ...times.map(median), ratios[index]]),
    bars: results.map(({ name }, index) =>
      atMost(BAR, `${name}, ${kind}, ${SIZES.at(-1)} projects against ${SIZES[0]}`, ratios[index]),
    ),
  }
}

/** The cost of a request with this many isolated worlds, to one of them and rotating over all. */
async function measureWorlds({ rounds, worlds: counts }) {
  const most = counts.at(-1)
  const sides = []
  for (const count of counts) sides.push(await createIsolated(count))
  const extent = { rounds, warmUp: 5 }
  const toOne = await interleave(sides, extent, ({ sandbox, requests }) =>
    timeRequests(sandbox, requests.slice(0, 1), most),
  )
  const inTurn = await interleave(sides, extent, ({ sandbox, requests }) =>
    timeRequests(sandbox, requests, most),
  )
  return {
    title: 'A project, by the number of isolated worlds',
    about: `medians of ${rounds} rounds of ${most} requests in process with their bodies cached, in microseconds per request; ratios to the first row`,
    columns: ['worlds', 'one of them', 'ratio', 'each in turn', 'ratio'],
    rows: counts.map((count, index) => [
      count.toLocaleString('en'),
      ...[toOne, inTurn].flatMap((results) => [
        median(results[index]),
        medianRatio(results[index], results[0]),
      ]),
    ]),
  }
}

async function createIsolated(count) {
  const sandbox = await createWorld({})
  const requests = []
  for (let made = 0; made < count; made += 1) {
    const { tokens } = await sandbox.worlds.create()
    requests.push(ask('/projects/101', tokens[TOKEN]))
  }
  askEach(sandbox, requests)
  return { sandbox, requests }
}
