/** The hidden tests of both syncs, which differ in their language alone, and of what other clients that download reports have in common with them. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { anAgency, completedOf, READER, REFUSED_TOKEN, reportsOf, shuffled } from './agency.js'

const CONTENT = 'GET /projects/{project}/reports/{report_number}/content'
const REPORTS = 'GET /projects/{project}/reports'

/** What a client that is about to go live has to show, by docs/going-live.md; warnings are about habits, and the prompts ask for none. */
export const STORM = {
  world: [
    '--projects',
    '8',
    '--seed',
    'harvest',
    '--rate-limit',
    'unlimited',
    '--profile',
    'storm',
  ],
  require: [
    'delivered',
    'retry-after',
    'missing-after-error',
    'retry-unauthorised',
    'unfinished-content',
  ],
}

/** The names of the JSON files below a folder, each as `<project>/<report>`, with what is in them. */
async function readOut(out) {
  const names = await readdir(out, { recursive: true })
  const files = names.filter((name) => /^\d+\/[^/]+\.json$/.test(name))
  const contents = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(out, name), 'utf8'))),
  )
  return new Map(files.map((name, index) => [name.replace('.json', ''), contents[index]]))
}

const nameOf = ({ project, id }) => `${project}/${id}`

/** Compares what was delivered with what should be, and each file with the response of the API. */
export async function assertDelivered(server, out, expected, when) {
  const delivered = await readOut(out)
  const wanted = expected.map(nameOf)
  const missing = wanted.filter((name) => !delivered.has(name))
  const extra = [...delivered.keys()].filter((name) => !wanted.includes(name))
  assert.deepEqual(missing.slice(0, 5), [], `${missing.length} reports are missing ${when}`)
  assert.deepEqual(extra.slice(0, 5), [], `${extra.length} files should not be there ${when}`)
  await assertContents(server, expected, delivered)
}

async function assertContents({ url }, expected, delivered) {
  for (const { project, report_number: number, ...report } of expected) {
    const content = `${url}/api/v1/projects/${project}/reports/${number}/content`
    const response = await fetch(content, { headers: READER })
    const { data } = await response.json()
    const name = nameOf({ project, ...report })
    assert.deepEqual(delivered.get(name), data, `${name}.json is not the data of its content`)
  }
}

export const countContents = ({ sandbox }) => sandbox.requests.count({ route: CONTENT })

export function assertExit({ code, output }, expected, when) {
  if (code === expected) return
  const how = code === null ? 'did not end' : `ended with ${code}`
  assert.fail(`the client ${how} ${when}, not with ${expected}: ${output.trim().slice(-300)}`)
}

/** What several of its reads have once meanwhile: half a body, broken JSON, a page of a proxy, a lost connection, a 503 and a 429. */
export const BAD_DAY = [
  { kind: 'status', status: 503, endpoint: 'GET /projects', schedule: { first: 2 } },
  { kind: 'truncated-body', endpoint: CONTENT, schedule: { nth: 2 } },
  { kind: 'malformed-json', endpoint: CONTENT, schedule: { nth: 5 } },
  { kind: 'html', status: 502, endpoint: REPORTS, schedule: { nth: 3 } },
  { kind: 'reset', endpoint: REPORTS, schedule: { nth: 6 } },
  { kind: 'status', status: 429, retry_after: 2, endpoint: CONTENT, schedule: { nth: 8 } },
]

export const syncChecks = {
  'each report is delivered once, over a month of runs': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 71, projects: 130, reports: 2 })
    const server = await serve({ fixtures })
    const { sandbox } = server
    const out = await aFolder()

    assertExit(await client(server, out), 0, 'in the first run')
    await assertDelivered(server, out, completedOf(fixtures), 'after the first run')

    await sandbox.requests.clear()
    assertExit(await client(server, out), 0, 'in a run with nothing new')
    assert.equal(countContents(server), 0, 'contents that were in OUT are requested again')

    const running = reportsOf(fixtures).filter(({ status }) => status === 'running')
    const later = shuffled(running, 71).slice(0, 6)
    for (const { project, report_number: number } of later) {
      await sandbox.clock.advance('P5D')
      await sandbox.reports.complete({ project, report_number: number })
    }
    await sandbox.requests.clear()
    assertExit(await client(server, out), 0, 'a month later')
    assert.equal(countContents(server), later.length, 'not only the new contents are requested')
    await assertDelivered(server, out, [...completedOf(fixtures), ...later], 'a month later')
  },

  'a report that is written again is delivered too': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 72, projects: 5 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    assertExit(await client(server, out), 0, 'in the first run')

    const { project, report_number: number } = completedOf(fixtures).at(0)
    const { id } = await server.sandbox.reports.regenerate({ project, report_number: number })
    assertExit(await client(server, out), 0, 'in the second run')
    const file = join(out, String(project), `${id}.json`)
    assert.ok(existsSync(file), 'the new report of a number that was delivered is missing')
  },

  'what the specification leaves open makes no difference': async ({ serve, client, aFolder }) => {
    const worlds = [
      {
        'page-links': 'absolute',
        'unlimited-headers': '9223372036854775807',
        'error-body': 'html',
      },
      { 'page-past-the-end': '404', 'reports-order': 'number', 'unlimited-headers': '-1' },
      { 'unknown-parameters-elsewhere': '400', 'authorization-scheme': 'strict' },
    ]
    for (const [index, policies] of worlds.entries()) {
      // The last page of the first one is full.
      const fixtures = anAgency({ seed: 80 + index, projects: [100, 103, 110][index], reports: 1 })
      const server = await serve({ fixtures, policies })
      const out = await aFolder()
      const which = `with ${JSON.stringify(policies)}`
      assertExit(await client(server, out), 0, which)
      await assertDelivered(server, out, completedOf(fixtures), which)
    }
  },

  'an agency without projects is no error': async ({ serve, client, aFolder }) => {
    const server = await serve({ fixtures: anAgency({ seed: 1, projects: 0 }) })
    assertExit(await client(server, await aFolder()), 0, 'without projects')
  },

  'a bad day costs no report': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 73, projects: 9 })
    const expected = completedOf(fixtures)
    const server = await serve({ fixtures })
    const out = await aFolder()
    await server.sandbox.faults.set(BAD_DAY)

    const codes = []
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const { code } = await client(server, out)
      codes.push(code)
      const delivered = await readOut(out)
      const isComplete = expected.every((report) => delivered.has(nameOf(report)))
      const wrong = isComplete ? 'everything was delivered' : 'something was missing'
      assert.equal(code, isComplete ? 0 : 1, `run ${attempt} ended with ${code}, though ${wrong}`)
      await server.sandbox.clock.advance('P1D')
    }
    assert.equal(codes.at(-1), 0, 'something is still missing in the third run')
    await assertDelivered(server, out, expected, 'after the third run')
  },

  'a project that cannot be read keeps nothing from the others': async (place) => {
    const { serve, client, aFolder } = place
    const fixtures = anAgency({ seed: 74, projects: 6 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    const [{ id }] = fixtures.projects
    await server.sandbox.faults.add({ kind: 'status', status: 500, project: id })

    assertExit(await client(server, out), 1, 'while a project cannot be read')
    const others = completedOf(fixtures).filter(({ project }) => project !== id)
    await assertDelivered(server, out, others, 'while a project cannot be read')

    await server.sandbox.faults.clear()
    await server.sandbox.clock.advance('P1D')
    assertExit(await client(server, out), 0, 'once it can be read again')
    await assertDelivered(server, out, completedOf(fixtures), 'once it can be read again')
  },

  'a refused token is an error that is explained': async ({ serve, client, aFolder }) => {
    const server = await serve({ fixtures: anAgency({ seed: 75, projects: 3 }) })
    const result = await client(server, await aFolder(), REFUSED_TOKEN)
    assertExit(result, 1, 'with a token that is refused')
    assert.match(result.output, /\S/, 'nothing is printed about a token that is refused')
  },
}
