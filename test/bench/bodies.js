/** The wait of other clients during the largest requests to a server of one's own. */
import { request } from 'node:http'
import { createSandbox } from 'seo-sandbox'
import { PINNING, startServed } from './support/processes.js'
import { within } from './support/report.js'
import { longestWait, openClient, pause } from './support/waits.js'

const MEGABYTE = 2 ** 20

/** The maximum wait of another client, in milliseconds: the largest body is handled at once. */
const WAIT_BAR = 3000

export async function measure({ isShort }) {
  const server = await startServed('sandbox', { rateLimit: 'unlimited' })
  const send = (method, path, body) => sendTo(server.port, { method, path, body })
  const client = await openClient(server.port)
  // This request loads the control API.
  await send('GET', '/health')
  const rows = []
  const bars = []
  const measured = async (name, work) => {
    const start = performance.now()
    let end = start
    const done = work().then((status) => {
      end = performance.now()
      return status
    })
    const wait = await longestWait(client, done)
    rows.push([name, await done, end - start, wait])
    return wait
  }
  await measured('nothing', () => pause(500).then(() => ''))
  for (const [name, method, path, toBody] of await listBodies(isShort ? 2 : 3.9)) {
    const body = toBody === undefined ? undefined : Buffer.from(toBody)
    const wait = await measured(name, () => send(method, path, body))
    bars.push(within(WAIT_BAR, `ms that another client waits: ${name}`, wait))
  }
  client.close()
  await server.stop()
  return {
    title: 'The wait of another client during a request with a large body, or a large response',
    about: `single requests to the control API, in milliseconds, ${PINNING}; the other client asks for /me again and again, and the longest of its waits counts`,
    columns: ['', 'status', 'ms', 'the longest wait'],
    rows,
    bars,
  }
}

/** Requests that take long, each in a world that the earlier ones left. */
async function listBodies(megabytes) {
  const snapshot = await largeSnapshot(megabytes)
  const fixtures = toFixtures(await largeSnapshot(3.5))
  const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 1]))
  const yaml = toYaml(toFixtures(await largeSnapshot(0.15)))
  const load = (text) => JSON.stringify({ type: 'fixtures.load', fixtures: text })
  const many = { version: 1, projects: Array.from({ length: 400_000 }, () => 1) }
  const twice = `{"version":1,${'"name":1,'.repeat(28_000)}"frozen":true}`
  return [
    ['a world of 3.5 MB of fixtures', 'POST', '/worlds', JSON.stringify({ fixtures })],
    ['fixtures of 3.5 MB', 'POST', '/commands', load(fixtures)],
    ['250 kB of YAML', 'POST', '/commands', load(yaml)],
    ['28,000 equal keys in YAML', 'POST', '/commands', load(twice)],
    ['400,000 items that are none', 'POST', '/commands', load(many)],
    [
      '90,000 unknown policies',
      'POST',
      '/commands',
      JSON.stringify({ type: 'policy.set', policies: unknown }),
    ],
    [
      '100,000 generated projects',
      'POST',
      '/commands',
      load({ version: 1, generate: { projects: 100_000 } }),
    ],
    ['a reset of these', 'POST', '/reset', '{}'],
    [`a snapshot of ${megabytes} MB`, 'POST', '/snapshots', JSON.stringify(snapshot)],
    ['the same, taken', 'GET', '/snapshots'],
    ['the session', 'GET', '/session'],
    ['the projects', 'GET', '/records/projects'],
    ['the requests', 'GET', '/requests'],
    ['the requests as an HTTP archive', 'GET', '/requests.har'],
    ['a reset', 'POST', '/reset', '{}'],
  ]
}

/** The default world with copies of its largest project, until it has that size. */
async function largeSnapshot(megabytes) {
  const snapshot = await (await createSandbox()).snapshot()
  const { projects, keywords, reports } = snapshot.records
  const [project] = projects.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  const isOf = (record) => record.project === project.id
  const [ownKeywords, ownReports] = [keywords.filter(isOf), reports.filter(isOf)]
  const size = JSON.stringify([project, ownKeywords, ownReports]).length
  for (let id = 100_000; id < 100_000 + (megabytes * MEGABYTE) / size; id += 1) {
    const keywordIds = new Map(ownKeywords.map((keyword, index) => [keyword.id, id * 1000 + index]))
    projects.push({ ...project, id })
    keywords.push(
      ...ownKeywords.map((one) => ({ ...one, id: keywordIds.get(one.id), project: id })),
    )
    reports.push(
      ...ownReports.map(({ content, ...one }, index) => ({
        ...one,
        id: id * 1000 + index,
        project: id,
        ...(content && { content: withKeywords(content, keywordIds) }),
      })),
    )
  }
  return snapshot

  function sizeOf({ id }) {
    return JSON.stringify(reports.filter((report) => report.project === id)).length
  }
}

function withKeywords(content, ids) {
  const entries = Object.entries(content).map(([id, entry]) => [ids.get(Number(id)) ?? id, entry])
  return Object.fromEntries(entries)
}

function toFixtures({ records }) {
  const { projects, keywords, reports, ...others } = records
  const childrenOf = (list, id) =>
    list
      .filter(({ project }) => project === id)
      .map((record) => ({ ...record, project: undefined }))
  return {
    version: 1,
    ...others,
    projects: projects.map((project) => ({
      ...project,
      keywords: childrenOf(keywords, project.id),
      reports: childrenOf(reports, project.id),
    })),
  }
}

/** JSON is YAML, except that a comment makes it YAML alone. */
function toYaml(fixtures) {
  return `${JSON.stringify(fixtures)} # YAML`
}

function sendTo(port, { method, path, body }) {
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path: `/_sandbox${path}` }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
