import { afterEach, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { storeReview } from '../../src/review/record-review.ts'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import { isFullDepth } from '../support/depth.ts'
import { Client, resultOf, sequencesOf } from './client.ts'
import { ask, fail, play, reviewOfHistory, times, wait } from './history.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

afterEach(() => {
  vi.useRealTimers()
})

const headers = { Authorization: 'Bearer sandbox-agency', Accept: 'application/json' }

test('a client that makes no request is reviewed as nothing-asked', async () => {
  const sandbox = await createSandbox()
  const review = sandbox.review()
  expect(review).toMatchObject({ version: 1, verdict: 'nothing-asked', requests: 0, ledger: [] })
  expect(review.checks.map(({ result }) => result)).toEqual(
    review.checks.map(() => 'not-exercised'),
  )
})

test.each([
  { title: 'what is not there', path: '/projects/999', method: 'GET' },
  { title: 'another method', path: '/projects', method: 'HEAD' },
])('a client that got no 200 with a body has read nothing: $title', async ({ path, method }) => {
  const sandbox = await createSandbox()
  await sandbox.fetch(`/api/v1${path}`, { method, headers })
  expect(sandbox.review()).toMatchObject({ verdict: 'nothing-read', requests: 1 })
  await sandbox.fetch('/api/v1/me', { headers })
  expect(sandbox.review()).toMatchObject({ verdict: 'passed', requests: 2 })
})

test('a review names the requests of a mistake, and begins anew with the world', async () => {
  const sandbox = await createSandbox()
  await sandbox.fetch('/api/v1/me', { headers })
  await sandbox.fetch('/api/v1/projects/101/reports/27/content', { headers })
  const { verdict, requests, checks } = sandbox.review()
  expect({ verdict, requests }).toEqual({ verdict: 'failed', requests: 2 })
  expect(checks.find(({ id }) => id === 'report-number-range')).toMatchObject({
    result: 'failed',
    findings: [
      {
        session: 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        requests: [
          {
            sequence: 2,
            method: 'GET',
            path: '/api/v1/projects/101/reports/27/content',
            status: 400,
          },
        ],
      },
    ],
  })
  await sandbox.reset()
  expect(sandbox.review()).toMatchObject({ verdict: 'nothing-asked', requests: 0 })
})

test('the review of a replayed session is the same, byte for byte', async () => {
  const sandbox = await createSandbox()
  await sandbox.faults.add({ kind: 'status', status: 503, retry_after: 5, schedule: { first: 1 } })
  for (const path of ['projects', 'projects', 'projects/101/reports/0/content'])
    await sandbox.fetch(`/api/v1/${path}`, { headers: { ...headers, Origin: 'https://a.example' } })
  const review = sandbox.review()
  expect(review.verdict).toBe('failed')
  const session = JSON.parse(JSON.stringify(await sandbox.session()))
  expect(JSON.stringify(await reviewSession(session))).toBe(JSON.stringify(review))
})

test('a session that other checks have reviewed is reviewed by these from its start, and the review says so', async () => {
  const sandbox = await createSandbox()
  for (let count = 0; count < 3; count += 1) await sandbox.fetch('/api/v1/me', { headers })
  const session = await sandbox.session()
  const began = { sequence: 2, at_ms: session.steps[1]!.at_ms }
  const reviewOf = async (review: object) => {
    const { requests, notice } = await reviewSession({ ...session, review })
    return { requests, notice }
  }
  const { version } = session.review
  expect(await reviewOf({ version })).toEqual({ requests: 3, notice: undefined })
  expect(await reviewOf({ version, began })).toEqual({
    requests: 1,
    notice: expect.stringContaining('Only requests after #2 are reviewed'),
  })
  expect(await reviewOf({ version: version + 1, began })).toEqual({
    requests: 3,
    notice: expect.stringContaining('recorded by a release with other checks'),
  })
})

test('a review remembers no more of the requests of a minute, however many there are', async () => {
  const client = await Client.start()
  const sizes = []
  for (const count of [200, 800]) {
    await play(
      client,
      times(count, () => ask('/projects/1')),
    )
    sizes.push(JSON.stringify(storeReview(client.sandbox.world)).length)
  }
  expect(sizes[1]! - sizes[0]!).toBeLessThan(1000)
})

test.each([
  [19, 19, undefined],
  [20, 20, undefined],
  [21, 20, 'There were 21 of these in all; the first 20 are listed.'],
  [45, 20, 'There were 45 of these in all; the first 20 are listed.'],
])(
  'of %i findings of a check %i are listed, and how many there were',
  async (count, listed, more) => {
    const outside = times(count, () => ask('/projects/1/reports/0/content'))
    const unfollowed = [fail(500, count), times(count, (index) => ask(`/projects/${index + 1}`))]
    for (const [id, history, first] of [
      ['report-number-range', outside, 1],
      ['missing-after-error', unfollowed, 2],
    ] as const) {
      const { checks } = await reviewOfHistory(history)
      const { findings, total } = checks.find((check) => check.id === id)!
      expect(total).toBe(more === undefined ? undefined : count)
      expect(findings.map(sequencesOf)).toEqual(
        Array.from({ length: listed }, (_, index) => [first + index]),
      )
      const last = findings.at(-1)!.message
      expect(/There were .*/.exec(last)?.[0]).toBe(more)
      expect(findings.filter(({ message }) => message.includes('There were'))).toHaveLength(
        more === undefined ? 0 : 1,
      )
    }
  },
)

test('a finding names its requests, however many came after them and whatever the journal has kept', async () => {
  const sandbox = await createSandbox({ journal: 2, fixtures: aWorld({ frozen: false }) })
  const get = (path: string) =>
    sandbox.fetch(`/api/v1${path}`, { headers: { Authorization: `Bearer ${AGENCY}` } })
  await sandbox.faults.add({ kind: 'status', status: 500, schedule: { first: 1 } })
  await get('/projects?per_page=50')
  for (let count = 0; count < 5; count += 1) await get('/me')
  expect(sandbox.requests.count({ route: '/projects' })).toBe(0)
  const { findings } = sandbox.review().checks.find(({ id }) => id === 'missing-after-error')!
  expect(findings.map(({ requests }) => requests)).toEqual([
    [{ sequence: 2, method: 'GET', path: '/api/v1/projects?per_page=50', status: 500 }],
  ])
})

test('a finding has the time of its last request by the rate clock', async () => {
  const history = [fail(429, 1, 30), ask('/me'), wait(5000), ask('/me'), wait(1000)]
  const { checks } = await reviewOfHistory(history)
  const [finding] = checks.find(({ id }) => id === 'retry-after')!.findings
  expect(finding?.at).toBe('2026-03-15T12:00:05.000000Z')
})

test('the path of a finding has no part of a bearer value, where it is cut off too', async () => {
  const review = await reviewOfHistory(
    times(20, (index) => ask(`/me?${'a'.repeat(277 + index)}-${AGENCY}${'.'.repeat(index)}`)),
  )
  const { findings } = review.checks.find(({ id }) => id === 'unknown-parameter')!
  const paths = findings.map(({ requests: [request] }) => request!.path)
  expect(paths[0]).toMatch(/a-\[token 1\]$/)
  expect(paths[8]).toMatch(/a-\[t…$/)
  for (const path of paths) {
    expect(path.length).toBeLessThanOrEqual(300)
    expect(path).not.toContain('agency')
  }
})

test('a finding names ten requests at most', async () => {
  const review = await reviewOfHistory(
    times(
      30,
      (index) =>
        ({ sandbox }) =>
          sandbox.fetch(`/v1/path-${'abcdefghij'[index % 10]}${'klm'[index % 3]}`),
    ),
  )
  const [finding] = review.checks.find(({ id }) => id === 'unknown-path')!.findings
  expect(finding?.requests.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('preflights of browsers are not reviewed', async () => {
  const preflight = ask('/projects', { method: 'OPTIONS', token: null, pageOrigin: 'https://a.b' })
  expect(await reviewOfHistory([preflight, preflight])).toMatchObject({
    verdict: 'nothing-asked',
    requests: 0,
  })
})

test('what the console sends is not reviewed, also when its session is replayed, and is marked in the journal', async () => {
  const client = await Client.start()
  await play(client, [ask('/me')])
  const sent = await client.sandbox.fetch('/api/v1/projects/1/reports/0/content', {
    headers: { authorization: `Bearer ${AGENCY}`, 'x-sandbox-console': '1' },
  })
  expect(sent.status).toBe(400)
  const review = client.sandbox.review()
  expect(review).toMatchObject({ verdict: 'passed', requests: 1 })
  expect(client.sandbox.requests.all().map((request) => request.from_console)).toEqual([
    false,
    true,
  ])
  const session = JSON.parse(JSON.stringify(await client.sandbox.session()))
  expect(await reviewSession(session)).toEqual(review)
})

test('URLs are told apart however long they are', async () => {
  const long = `/projects?search=${'x'.repeat(300)}`
  const two = await reviewOfHistory([ask(`${long}a`), ask(`${long}b`)])
  expect(resultOf(two, 'repeated-read')).toEqual(['not-exercised'])
  const twice = await reviewOfHistory([ask(`${long}a`), ask(`${long}b`), ask(`${long}a`)])
  expect(resultOf(twice, 'repeated-read')).toEqual(['failed', [1, 3]])
})

test.runIf(isFullDepth)(
  'what a reviewer remembers is bounded, and is the same for as many requests again',
  async () => {
    const sandbox = await createSandbox({ rateLimit: 'unlimited' })
    const askMany = async (count: number) => {
      for (let id = 0; id < count; id += 1) {
        const path = `/api/v1/projects?search=${'x'.repeat(300)}${id}`
        await sandbox.fetch(path, { headers })
      }
      return JSON.stringify(storeReview(sandbox.world)).length
    }
    const once = await askMany(6000)
    expect(once).toBeLessThan(2_500_000)
    expect((await askMany(6000)) / once).toBeLessThan(1.05)
  },
)
