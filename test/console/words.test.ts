import { createSandbox } from 'seo-sandbox'
import type { FaultInput } from 'seo-sandbox'
import { expect, test } from 'vitest'
import { reasonOf, remedyOf } from '../../src/wording/decision.ts'
import { durationOf } from '../../src/console/panels/traffic/traffic-lines.ts'
import { countsOfFault, delaysAll, sentenceOfFault } from '../../src/wording/fault-words.ts'

/** Words of the console: faults as sentences, and the reasons for responses. */

const OPTIONS = { now: '2026-03-15T12:00:00Z', frozen: true } as const

const ask = (path: string, token?: string): [path: string, init: RequestInit] => [
  `/api/v1${path}`,
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
]

test.each<[fault: FaultInput, asked: number, sentence: string]>([
  [{ kind: 'status', status: 503, schedule: { first: 2 } }, 0, 'The next two requests get a 503'],
  [{ kind: 'status', status: 503, schedule: { first: 2 } }, 1, 'The next request gets a 503'],
  [{ kind: 'status', status: 503, schedule: { first: 2 } }, 2, 'The first two requests got a 503'],
  [
    { kind: 'status', status: 429, retry_after: 5, schedule: { first: 1 } },
    0,
    'The next request gets a 429 that says to retry after 5 s',
  ],
  ...(
    [
      [{ date_in: 120 }, 'is a date, 120 s later'],
      [{ date_in: -60 }, 'is a date, 60 s ago'],
      ['soon', 'is “soon”'],
    ] as const
  ).map(([retry_after, words]): [FaultInput, number, string] => [
    { kind: 'status', status: 503, retry_after, schedule: { first: 1 } },
    0,
    `The next request gets a 503 whose Retry-After ${words}`,
  ]),
  [
    { kind: 'html', schedule: { every: 3 } },
    1,
    'Every third request gets a proxy’s error page with a 502',
  ],
  [
    { kind: 'malformed-json', schedule: { nth: 3 } },
    0,
    'The third request from now gets invalid JSON',
  ],
  [{ kind: 'malformed-json', schedule: { nth: 3 } }, 2, 'The next request gets invalid JSON'],
  [{ kind: 'malformed-json', schedule: { nth: 3 } }, 3, 'The third request got invalid JSON'],
  [
    { kind: 'latency', ms: 1, schedule: { share: 0.2 } },
    0,
    'About 20% of requests get an answer that is 1 ms late',
  ],
  [
    { kind: 'latency', min_ms: 100, max_ms: 400, endpoint: 'GET /me' },
    0,
    'Every request for GET /me gets an answer that is 100 to 400 ms late',
  ],
  [
    { kind: 'latency', min_ms: 500, max_ms: 2000, endpoint: 'GET /me' },
    0,
    'Every request for GET /me gets an answer that is 500 ms to 2 s late',
  ],
  [
    { kind: 'html', schedule: { share: 0.07 } },
    0,
    'About 7% of requests get a proxy’s error page with a 502',
  ],
  [
    { kind: 'malformed-json', schedule: { nth: 21 } },
    0,
    'The 21st request from now gets invalid JSON',
  ],
  [
    { kind: 'malformed-json', schedule: { every: 112 } },
    0,
    'Every 112th request gets invalid JSON',
  ],
  [
    { kind: 'slow-body', ms: 1500, endpoint: 'GET /projects', token: 'Sandbox agency' },
    0,
    'Every request for GET /projects by Sandbox agency gets a body that takes 1.5 s',
  ],
  [
    { kind: 'truncated-body', project: 101, schedule: { until: '2026-04-01' } },
    0,
    'Every request about project 101 until 1 Apr 2026 00:00 gets a body that breaks off',
  ],
])('the fault %j, after %i requests, is a sentence: %s', async (fault, asked, sentence) => {
  const sandbox = await createSandbox(OPTIONS)
  await sandbox.faults.add(fault)
  for (let count = 0; count < asked; count += 1) {
    await sandbox.fetch(...ask('/me', 'sandbox-unlimited'))
  }
  const [armed] = sandbox.faults.list()
  const tokens = sandbox.world.records.all('tokens')
  expect(sentenceOfFault(armed!, tokens)).toBe(sentence)
})

test.each<[schedule: FaultInput['schedule'], sentence: string, counts: string]>([
  [{ first: 1 }, 'The first request was to get', '0 matching requests, another fault answered 1'],
  [
    { first: 2 },
    'The first two requests were to get',
    '1 matching request, another fault answered 1',
  ],
  [{ nth: 1 }, 'The first request was to get', '0 matching requests, another fault answered 1'],
  [{ nth: 2 }, 'The second request got', '1 matching request'],
  [{ every: 2 }, 'Every second request gets', '1 of 3 matching requests'],
  [undefined, 'Every request gets', '2 of 3 matching requests, another fault answered 1'],
])(
  'a fault %j behind one that took the first request says so: %s, %s',
  async (schedule, sentence, counts) => {
    const sandbox = await createSandbox(OPTIONS)
    await sandbox.faults.add({ kind: 'reset', schedule: { first: 1 } })
    await sandbox.faults.add({ kind: 'status', status: 503, ...(schedule && { schedule }) })
    const request = ask('/me', 'sandbox-unlimited')
    await expect(sandbox.fetch(...request)).rejects.toThrow()
    await sandbox.fetch(...request)
    await sandbox.fetch(...request)
    const [winner, behind] = sandbox.faults.list()
    expect(sentenceOfFault(winner!, [])).toBe('The first request got a reset connection')
    expect(countsOfFault(winner!)).toBe('affected 1 matching request')
    expect(sentenceOfFault(behind!, [])).toBe(`${sentence} a 503`)
    expect(countsOfFault(behind!)).toBe(`affected ${counts}`)
  },
)

test('a delay of every response, as --latency has it, is no fault', async () => {
  const sandbox = await createSandbox({ ...OPTIONS, latency: '1-2' })
  await sandbox.faults.add({ kind: 'latency', ms: 1, endpoint: 'GET /me' })
  await sandbox.faults.add({ kind: 'reset' })
  expect(sandbox.faults.list().map((fault) => delaysAll(fault))).toEqual([true, false, false])
})

test.each([
  [...ask('/countries', 'sandbox-agency'), ''],
  [
    ...ask('/projects/101/reports/latest', 'sandbox-agency'),
    'The latest completed report dated this month',
  ],
  [...ask('/projects/999999', 'sandbox-agency'), 'The token sees no such project'],
  [
    ...ask('/projects/101/reports/9/content', 'sandbox-agency'),
    'The project has no report with this number',
  ],
  [...ask('/nowhere', 'sandbox-agency'), 'There is no such path below /api/v1'],
  [...ask('/me'), 'Sent without a token'],
  [...ask('/me', 'nobody'), 'The token is unknown'],
  [...ask('/languages', 'sandbox-agency'), 'An armed fault: a 503'],
])('%s with %j is answered as it is, in words: %s', async (path, init, reason) => {
  const sandbox = await createSandbox({ ...OPTIONS, latency: 1 })
  await sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /languages' })
  await sandbox.fetch(path, init)
  const [request] = [...sandbox.requests.all(), ...sandbox.requests.unknown()]
  const [, fault] = sandbox.faults.list()
  expect(reasonOf(request!, fault)).toBe(reason)
})

test.each<[section: string, path: string, token?: string | undefined, policies?: object]>([
  ['5(1)', '/me'],
  ['5(1)', '/me', 'nobody'],
  ['5(1)', '/me', undefined, { 'missing-token': '403' }],
  ['5(8)', '/me', undefined, { 'missing-token': '302' }],
  ['5(3)', '/projects', 'sandbox-ip-denied'],
  ['5(4)', '/projects', 'sandbox-disabled'],
  ['5(4)', '/projects', 'sandbox-disabled', { 'disabled-token': '401' }],
  ['4.3', '/projects?agency_id=2', 'sandbox-agency', { 'agency-id-of-agency-token': '400' }],
  ['4.3', '/projects?agency_id=2', 'sandbox-agency', { 'agency-id-of-agency-token': '403' }],
  ['5(7)', '/projects/201', 'sandbox-agency', { 'foreign-project': '403' }],
  ['4.2', '/projects/999999', 'sandbox-agency'],
  ['4.2', '/countries/999999', 'sandbox-agency'],
  ['4.2', '/languages/999999', 'sandbox-agency'],
  ['4.2', '/users/999999', 'sandbox-agency'],
  ['4.7(2)', '/projects/101/reports/9/content', 'sandbox-agency'],
  ['4.7(1)', '/projects/101/reports/27/content', 'sandbox-agency'],
  ['4.3(4)', '/projects?page=99', 'sandbox-agency', { 'page-past-the-end': '404' }],
  ['4.1', '/nowhere', 'sandbox-agency'],
  ['2.1', '/projects/abc', 'sandbox-agency', { 'non-integer-id': '400' }],
  ['4.3(1)', '/projects?order=name', 'sandbox-agency'],
  ['4.3', '/projects?page=x', 'sandbox-agency', { 'invalid-page': '400' }],
  ['4.5(1)', '/projects/101/reports/latest', 'sandbox-agency'],
])(
  'section %s is that of the remedy for %s with %j and %j',
  async (section, path, token, policies = {}) => {
    const sandbox = await createSandbox({ ...OPTIONS, policies })
    await sandbox.fetch(...ask(path, token))
    const [request] = [...sandbox.requests.all(), ...sandbox.requests.unknown()]
    expect(remedyOf(request!)?.section).toBe(section)
  },
)

test.each([
  ['/projects?per_page=500', { 'per-page-above-maximum': '400' }],
  ['/projects?per_page=0', { 'invalid-per-page': '422' }],
])(
  'for %s the remedy sends to the Reference, as the response names no parameter',
  async (path, policies) => {
    const sandbox = await createSandbox({ ...OPTIONS, policies })
    const response = await sandbox.fetch(...ask(path, 'sandbox-agency'))
    expect(await response.text()).not.toContain('per_page')
    const [request] = sandbox.requests.all()
    expect(remedyOf(request!)?.remedy).toBe(
      'The response does not say which one. The Reference has what each parameter accepts.',
    )
  },
)

test.each([
  [
    'latest',
    'No regular report of the project is completed for this month, and no regular one is open',
  ],
  ['last-generated', 'The completed report that was created last'],
])('the reason for %s counts regular reports alone where the rule does', async (which, reason) => {
  const sandbox = await createSandbox({ ...OPTIONS, scenario: 'latest-404' })
  const { project } = sandbox.world.records
    .all('reports')
    .find(({ action_type }) => action_type === 'extra')!
  const path = `/projects/${project}/reports/${which}`
  const { token } = sandbox.world.records.all('tokens').find(({ agency }) => agency === null)!
  const { status } = await sandbox.fetch(...ask(path, token))
  const [request] = sandbox.requests.all()
  expect([status, reasonOf(request!)]).toEqual([which === 'latest' ? 404 : 200, reason])
})

test('a 429 says which window is used up', async () => {
  const sandbox = await createSandbox({ ...OPTIONS, rateLimit: '1/min' })
  for (let count = 0; count < 2; count += 1) await sandbox.fetch(...ask('/me', 'sandbox-agency'))
  expect(sandbox.requests.all().map((request) => reasonOf(request))).toEqual([
    '',
    'The token has used up all requests of this minute',
  ])
})

test.each([
  [0.42, 0, '0.4 ms'],
  [12.3, 0, '12 ms'],
  [1, 250, '251 ms'],
  [4, 2000, '2.0 s'],
  [null, 300, '300 ms'],
  [null, 0, '–'],
])('%d ms and a delay of %d ms are %s', (duration_ms, delay_ms, text) => {
  expect(durationOf({ duration_ms, delay_ms })).toBe(text)
})
