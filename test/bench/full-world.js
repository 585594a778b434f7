/**
 * A world with the maximum of everything that the host of a store allows by default: its memory, in the shapes that take
 * most, and its slowest requests. They run alone in one process, without HTTP.
 */
import { Buffer } from 'node:buffer'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createSandbox } from '../../build/index.js'
import { DEFAULT_LIMITS } from '../../build/store/store-options.js'
import { heapOf } from '../../build/store/loaded-worlds.js'
import { writeReplica } from '../../build/store/stored-replica.js'
import { atMost, median } from './support/report.js'

const { projects, records, text, faults, journal } = DEFAULT_LIMITS
const MEGABYTE = 2 ** 20
const KEYWORDS_OF_PROJECT = 500
const CHARACTERS_OF_REPORT = 190_000
/** A character of two bytes. */
const WIDE = '漢'
const TOKEN = 'full-token'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** Records up to every limit, by the place of their text. */
const SHAPES = {
  'short names': { records, contentOf: undefined },
  'long texts': {
    records: 5000,
    contentOf: (most) => [[{ h3: '', text: WIDE.repeat(most) }]],
  },
  'maps with a key each': {
    records: 5000,
    contentOf: (most) => {
      const maps = Array.from({ length: most / 46 }, (_, at) => ({ [`k${at.toString(36)}`]: 0 }))
      return [{ content: maps, html: [] }]
    },
  },
}

export async function measure({ isShort }) {
  const rounds = isShort ? 1 : 3
  const memory = []
  for (const [shape, how] of Object.entries(SHAPES)) {
    const sizes = []
    for (let round = 0; round < rounds; round += 1) sizes.push(await measureMemory(how))
    memory.push([shape, ...[0, 1, 2, 3].map((at) => median(sizes.map((size) => size[at])))])
  }
  return [
    {
      title: 'A full world: memory',
      about: `MB, by the form of its ${text.toLocaleString('en')} characters: the text that a store has of it, its heap by which a server counts it, its heap, and bytes outside the heap; after every record was changed while responses show the stale ones, with a full journal and full caches`,
      columns: ['', 'stored', 'counted', 'heap', 'outside'],
      rows: memory,
      bars: memory.map(([shape, , counted, heap]) =>
        atMost(1, `heap of a full world of ${shape}, against what it counts as`, heap / counted),
      ),
    },
    {
      title: 'A full world: its slowest requests',
      about:
        'milliseconds of processor time, medians; the snapshot of a full world is larger than a key of the world may send',
      columns: ['', 'ms'],
      rows: await measureRequests(SHAPES['short names'], rounds),
    },
  ]
}

async function measureMemory(how) {
  const sandbox = await createSandbox({ journal })
  const before = memoryInUse()
  const { sandbox: full } = await createFull(sandbox, how)
  const after = memoryInUse()
  const inputs = { keyOf: () => 'seed' }
  const { bytes: stored } = await writeReplica(full.world, inputs)
  return [
    stored.length,
    heapOf(stored.length),
    after.heapUsed - before.heapUsed,
    after.external - before.external,
  ].map((bytes) => bytes / MEGABYTE)
}

function memoryInUse() {
  collectGarbage()
  return process.memoryUsage()
}

async function createFull(sandbox, how) {
  const created = await sandbox.worlds.create({
    fixtures: fullFixture(how),
    policies: { 'data-refresh': 'stale' },
  })
  const { fetch, command } = created.sandbox
  // Other objects for all records, beside those that responses still show.
  const snapshot = await created.sandbox.snapshot()
  for (const [collection, list] of Object.entries(snapshot.records)) {
    if (collection === 'tokens') continue
    for (const record of list) await command({ type: 'record.put', collection, record })
  }
  await command({
    type: 'fault.set',
    faults: Array.from({ length: faults }, (_, at) => ({
      kind: 'status',
      status: 503,
      schedule: { nth: 10_000_000 + at },
    })),
  })
  await fill(created, fetch)
  return created
}

/** Fills the journal with long targets, the caches with bodies, and the review with URLs. */
async function fill({ tokens }, fetch, requests = 6 * journal) {
  const headers = { authorization: `Bearer ${tokens[TOKEN]}` }
  for (let count = 0; count < requests; count += 1) {
    const path = `/projects?search=${count}&page=1&${'x'.repeat(7000)}${count}`
    const own = count % 2 === 0 ? path : `/projects/${(count % projects) + 1}/keywords?${count}`
    await (await fetch(`/api/v1${own}`, { headers })).arrayBuffer()
  }
}

/** A fixture with as many records and characters as a world may have. */
function fullFixture({ records: most, contentOf }) {
  const others = 3
  const keywordCount =
    most - projects - others - (contentOf ? Math.floor(text / CHARACTERS_OF_REPORT) : 0)
  const name = WIDE.repeat(contentOf ? 5 : 60)
  let id = 0
  const listed = Array.from({ length: projects }, (_, at) => ({
    id: at + 1,
    agency: 1,
    name: `${at} ${name}`,
    status: 'active',
    created_at: '2026-01-01T00:00:00.000000Z',
    keywords: Array.from(
      {
        length: Math.max(0, Math.min(KEYWORDS_OF_PROJECT, keywordCount - at * KEYWORDS_OF_PROJECT)),
      },
      () => ({ id: (id += 1), keyword: `${id} ${name}`, create_date: '2026-01-01' }),
    ),
    reports: [],
  }))
  let left = text - charactersOf(listed)
  for (const project of contentOf ? listed : []) {
    if (left < CHARACTERS_OF_REPORT || project.keywords.length === 0) break
    left -= CHARACTERS_OF_REPORT
    const [content] = contentOf(CHARACTERS_OF_REPORT)
    project.reports.push({
      id: project.id,
      report_number: 1,
      status: 'completed',
      created_at: '2026-01-01T00:00:00.000000Z',
      ...(Array.isArray(content) ? {} : { content_scheme: 'own' }),
      content: { [project.keywords[0].id]: content },
    })
  }
  return {
    version: 1,
    now: '2026-03-15T12:00:00Z',
    frozen: true,
    agencies: [{ id: 1, name: 'North' }],
    tokens: [{ id: 1, name: 'Full', token: TOKEN, agency: null, rate_limit: 'unlimited' }],
    projects: listed,
  }
}

function charactersOf(value) {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum, part) => sum + charactersOf(part), 0)
}

async function measureRequests(how, rounds) {
  const sandbox = await createSandbox({ journal })
  const { sandbox: full, tokens } = await createFull(sandbox, how)
  const headers = { authorization: `Bearer ${tokens[TOKEN]}` }
  const snapshot = await full.snapshot()
  const { sandbox: other } = await sandbox.worlds.create({
    fixtures: fullFixture({ records: 2400 }),
  })
  const small = await other.snapshot()
  const work = {
    'a page of 100 projects': () =>
      full.fetch(`/api/v1/projects?per_page=100&${Math.random()}`, { headers }),
    'a search': () => full.fetch(`/api/v1/projects?search=${Math.random()}`, { headers }),
    'the keywords of a project': () =>
      full.fetch(`/api/v1/projects/1/keywords?${Math.random()}`, { headers }),
    'a change of a record': () =>
      full.command({ type: 'record.patch', collection: 'agencies', id: 1, patch: { name: 'N' } }),
    'a review': () => full.review(),
    'a snapshot': () => full.snapshot(),
    'restoring it': () => full.restore(snapshot),
    'restoring one of 1 MB': () => full.restore(small),
    'a reset': () => full.reset(),
    'a session': () => full.session(),
  }
  const rows = []
  for (const [name, run] of Object.entries(work)) {
    const times = []
    if (name === 'a session') await fill({ tokens }, full.fetch, journal - 1)
    for (let round = 0; round <= rounds; round += 1) {
      const begun = process.cpuUsage()
      await run()
      const { user, system } = process.cpuUsage(begun)
      if (round > 0) times.push((user + system) / 1000)
    }
    rows.push([name, median(times)])
  }
  const sizes = [snapshot, small].map((one) => Buffer.byteLength(JSON.stringify(one)) / MEGABYTE)
  rows.push(['MB of the snapshot', sizes[0]], ['MB of the small one', sizes[1]])
  return rows
}
