import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'

const COMMENTS = readFileSync(new URL('../../fixtures/default.yaml', import.meta.url), 'utf8')

/** The report numbers that the comments of fixtures/default.yaml state, null for 404. */
const STATED: [project: number, latest: string | null, lastGenerated: number | null][] = [
  [101, '3 completed', 3],
  [102, '3 completed', 2],
  [103, '2 completed', 2],
  [104, '2 completed', 2],
  [105, '3 pending', 2],
  [106, '2 running', 1],
  [107, '2 failed', 3],
  [108, null, 3],
  [109, null, null],
  [110, null, 1],
  [111, '26 completed', 26],
  [112, '3 pending', 2],
  [201, '2 completed', 2],
  [202, '2 completed', 3],
  [203, '3 pending', 2],
  [204, '3 pending', 2],
  [205, '3 pending', 1],
  [206, '4 pending', 3],
  [207, '2 completed', 3],
  [208, '4 pending', 1],
  [209, '3 failed', 2],
  [210, '3 completed', 3],
  [211, '1 running', null],
  [212, null, null],
]

const DAYS = [
  '2026-01-01T00:00:00Z',
  '2026-02-28T23:59:59.999Z',
  '2028-02-29T12:00:00Z',
  '2026-03-15T12:00:00Z',
  '2026-12-31T23:59:59.999Z',
]

describe.each(DAYS)('the default world on %s', (now) => {
  test('every project shows what its comment states', async () => {
    const sandbox = await createSandbox({ now, frozen: true, rateLimit: 'unlimited' })
    const shown = []
    for (const [project] of STATED) {
      const latest = await report(sandbox, `/projects/${project}/reports/latest`)
      const lastGenerated = await report(sandbox, `/projects/${project}/reports/last-generated`)
      shown.push([
        project,
        latest && `${latest.report_number} ${latest.status}`,
        lastGenerated && lastGenerated.report_number,
      ])
    }
    expect(shown).toEqual(STATED)
  })
})

test('the table at the top of fixtures/default.yaml has each project once, with what it shows', () => {
  const orNull = (cell: string) => (cell === '404' ? null : cell)
  const rows = [...COMMENTS.matchAll(/^# \| (\d{3}) +\| (.+?) +\| (\d+) +\| (\S.*?) +\|$/gm)].map(
    ([, project, latest = '', lastGenerated = '']) => [
      Number(project),
      orNull(latest),
      lastGenerated === '404' ? null : Number(lastGenerated),
    ],
  )
  expect(rows.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual(STATED)
})

test.each([
  ['/projects/999', 404],
  ['/users/999', 404],
  ['/users/31', 404],
  ['/countries/999', 404],
  ['/countries/672', 404],
  ['/languages/999', 404],
  ['/projects/201', 404],
  ['/projects/101/reports/9/content', 404],
  ['/projects/101/reports/27/content', 400],
])('a special id of the default world: %s returns %i', async (path, status) => {
  const sandbox = await createSandbox()
  const headers = { authorization: 'Bearer sandbox-agency' }
  expect((await sandbox.fetch(`/api/v1${path}`, { headers })).status).toBe(status)
})

test.each([
  ['sandbox-agency', 200, '60'],
  ['sandbox-super', 200, '60'],
  ['sandbox-disabled', 401, '60'],
  ['sandbox-ip-denied', 403, '60'],
  ['sandbox-unlimited', 200, null],
  ['sandbox-minute-exhausted', 429, '60'],
  ['sandbox-hour-exhausted', 429, '60'],
])('the token %s of the default world gets %i', async (token, status, limit) => {
  const sandbox = await createSandbox()
  const response = await sandbox.fetch('/api/v1/projects', {
    headers: { authorization: `Bearer ${token}` },
  })
  expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([status, limit])
})

async function report(
  sandbox: Sandbox,
  path: string,
): Promise<{ report_number: number; status: string } | null> {
  const headers = { authorization: 'Bearer sandbox-super' }
  const response = await sandbox.fetch(`/api/v1${path}`, { headers })
  const { data = null } = (await response.json()) as { data?: any }
  return data
}
