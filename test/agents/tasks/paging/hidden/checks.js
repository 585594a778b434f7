import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { anAgency } from '../../../support/agency.js'
import { assertExit } from '../../../support/sync-checks.js'

export const command = (out) => ['python3', 'customers.py', join(out, 'customers.csv')]

export const review = {
  world: [
    '--projects',
    '900',
    '--seed',
    'harvest',
    '--rate-limit',
    'unlimited',
    '--profile',
    'storm',
  ],
  // Not hand-made-pages: whoever reads all pages without a filter is right, and never meets its situation.
  require: ['next-link', 'retry-after', 'retry-unauthorised'],
}

/** Compares the list with the projects of the fixture, as lines of CSV. */
async function assertList(out, { projects }, when) {
  const file = join(out, 'customers.csv')
  const text = existsSync(file) ? await readFile(file, 'utf8') : ''
  const [header, ...rows] = text.trim().split(/\r?\n/)
  const expected = projects
    .filter(({ agency, status }) => agency === 1 && status === 'active')
    .map(({ id, name, keywords }) => `${id},${quote(name)},${keywords.length}`)
  assert.equal(header, 'project,customer,keywords', `the columns are others ${when}`)
  const missing = expected.filter((row) => !rows.includes(row))
  assert.deepEqual(missing.slice(0, 3), [], `${missing.length} customers are missing ${when}`)
  assert.equal(rows.length, expected.length, `some rows should not be there ${when}`)
}

const quote = (name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

/** @param sizes How many projects there are, of which four fifths are active. */
function lists(sizes, policies) {
  return async ({ serve, client, aFolder }) => {
    for (const [index, projects] of sizes.entries()) {
      const fixtures = anAgency({ seed: index + 3, projects, reports: 0 })
      const server = await serve({ fixtures, policies })
      const out = await aFolder()
      const when = `with ${projects} projects`
      assertExit(await client(server, out), 0, when)
      await assertList(out, fixtures, when)
      assert.equal(
        server.sandbox.requests.unknown().length,
        0,
        `an unknown path is requested ${when}`,
      )
    }
  }
}

// 125 and 250 projects are 100 and 200 active ones: the last page is full.
export const checks = {
  'every active project is listed, whatever their number': lists([
    0, 1, 124, 125, 126, 250, 251, 640,
  ]),
  'links of pages may have a host': lists([125, 130, 640], { 'page-links': 'absolute' }),
  'no page after the last one is needed': lists([125, 250, 640], { 'page-past-the-end': '404' }),
  'the last page may be empty': lists([0, 125], {
    'empty-last-page': '0',
    'page-past-the-end': 'empty-with-prev',
  }),
  'the order of projects does not matter': lists([640], { 'project-order': 'name' }),

  'a page that fails is tried again': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 5, projects: 400, reports: 0 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    await server.sandbox.faults.set([
      { kind: 'status', status: 503, retry_after: 2, schedule: { nth: 2 } },
      { kind: 'truncated-body', schedule: { nth: 4 } },
    ])
    assertExit(await client(server, out), 0, 'where pages fail once')
    await assertList(out, fixtures, 'where pages fail once')
  },

  'a list that cannot be read as a whole is not written': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 6, projects: 400, reports: 0 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    await server.sandbox.faults.add({
      kind: 'status',
      status: 400,
      schedule: { from: '2026-03-17', until: '2026-03-19' },
    })
    assertExit(await client(server, out), 0, 'on a calm day')
    await server.sandbox.clock.set('2026-03-18')
    assertExit(await client(server, out), 1, 'where the list is refused')
    await assertList(out, fixtures, 'where the next one was refused')
  },
}
