import { afterEach, describe, expect, test, vi } from 'vitest'
import { CHECKS } from '../../src/review/checks/index.ts'
import type { CheckId } from '../../src/review/checks/index.ts'
import { restartReview, storeReview, ReviewQueue } from '../../src/review/record-review.ts'
import type { Review } from '../../src/review/review.ts'
import { Reviewer } from '../../src/review/reviewer.ts'
import { isFullDepth } from '../support/depth.ts'
import { aProject, aReport } from '../support/worlds.ts'
import { Client, resultOf } from './client.ts'
import { ask, fail, play, times, wait } from './history.ts'
import type { History, Step } from './history.ts'

/** The review of a run with several sessions, each ended by a command such as a reset. */

afterEach(() => {
  vi.useRealTimers()
})

const WRONG = ask('/projects/1/reports/0/content')
const reset: Step = ({ sandbox }) => sandbox.reset()
const restore: Step = async ({ sandbox }) => sandbox.restore(await sandbox.snapshot())
const loadScenario: Step = ({ sandbox }) =>
  sandbox.command({ type: 'scenario.load', scenario: 'empty-agency' })

async function clientWith(...history: History): Promise<Client> {
  const client = await Client.start({
    projects: Array.from({ length: 20 }, (_, index) =>
      aProject({
        id: index + 1,
        reports: [
          aReport({ id: index * 2 + 1, report_number: 1, status: 'completed' }),
          aReport({ id: index * 2 + 2, report_number: 2, status: 'running' }),
        ],
      }),
    ),
  })
  await play(client, history)
  return client
}

async function reviewOfRun(...history: History): Promise<Review> {
  return (await clientWith(...history)).sandbox.review({ since: 'start' })
}

function findingsOf({ checks }: Review, id: CheckId) {
  return checks.find((check) => check.id === id)!.findings
}

/** For each check with pending mistakes: a history that has one, and its result after a reset. */
const OPEN: Partial<Record<CheckId, { act: History; cutShort: 'failed' | 'unsettled' }>> = {
  'missing-after-error': { act: [fail(503), ask('/projects/1')], cutShort: 'unsettled' },
  'next-link': { act: [ask('/projects?per_page=10')], cutShort: 'unsettled' },
  unauthenticated: { act: [ask('/projects', { token: 'unknown-token' })], cutShort: 'unsettled' },
  backoff: {
    act: [fail(503, 9), times(4, () => [ask('/projects/1'), wait(1000)])],
    cutShort: 'failed',
  },
  'repeated-read': { act: times(12, () => ask('/me')), cutShort: 'failed' },
  'unknown-path': { act: [ask('/reports')], cutShort: 'failed' },
}

describe('what a reset cuts short', () => {
  test('is stated of each check that judges what is still open', () => {
    const ids = CHECKS.filter(({ pending }) => pending).map(({ id }) => id)
    expect(Object.keys(OPEN).toSorted()).toEqual(ids.toSorted())
  })

  test.each(Object.entries(OPEN).map(([id, stated]) => ({ id: id as CheckId, ...stated })))(
    'of $id is $cutShort, and the last session is judged whole',
    async ({ id, act, cutShort }) => {
      const whole = resultOf(await reviewOfRun(...act), id)
      expect(whole[0]).toBe('failed')
      for (const end of [reset, restore, loadScenario]) {
        expect(resultOf(await reviewOfRun(...act, end), id)).toEqual([cutShort, ...whole.slice(1)])
      }
      const [inLast] = resultOf(await reviewOfRun(...act, reset, reset, ...act), id)
      expect(inLast).toBe('failed')
    },
  )

  test('is settled where another session shows the client to be right', async () => {
    const { 'missing-after-error': lost, 'next-link': paged } = OPEN
    const cut = [lost!.act, paged!.act, reset]
    const right = [fail(503), ask('/projects/1'), wait(2000), ask('/projects/1')]
    for (const history of [
      [cut, right],
      [right, reset, cut],
      [right, reset, cut, ask('/me')],
    ]) {
      const review = await reviewOfRun(...history)
      expect(resultOf(review, 'missing-after-error')).toEqual(['passed'])
      expect(resultOf(review, 'next-link')[0]).toBe('unsettled')
      expect(review.verdict).toBe('passed')
    }
  })

  test('is a token that was not accepted, but for one that was in another session', async () => {
    const refused = ask('/projects', { token: 'unknown-token' })
    const resultsOf = async (...history: History) => {
      const review = await reviewOfRun(...history)
      return [review.verdict, resultOf(review, 'unauthenticated')[0]]
    }
    expect(await resultsOf(refused, reset, ask('/me'))).toEqual(['passed', 'passed'])
    expect(await resultsOf(ask('/me'), reset, refused)).toEqual(['passed', 'passed'])
    expect(await resultsOf(refused, reset, refused, reset)).toEqual(['nothing-read', 'unsettled'])
    expect(await resultsOf(refused, reset, refused)).toEqual(['failed', 'failed'])
  })

  test('are reports that were not fetched, and none that were', async () => {
    const content = ask('/projects/1/reports/1/content')
    const { ledger } = await reviewOfRun(
      [ask('/projects/1/reports'), reset],
      [ask('/projects/1/reports'), content, reset],
      [ask('/projects/1/reports/2/content'), reset],
      [reset, ask('/projects/1/reports')],
    )
    expect(ledger.map(({ session, report_id, state }) => [session, report_id, state])).toEqual([
      [1, 1, 'unsettled'],
      [2, 1, 'delivered'],
      [3, 1, 'unsettled'],
      [4, 1, 'missing'],
    ])
  })
})

test('what the client did counts in each session, which is named with its time', async () => {
  const client = await clientWith(WRONG, reset, reset, wait(60_000), ask('/me'), reset, WRONG)
  const review = client.sandbox.review({ since: 'start' })
  expect(review).toMatchObject({ verdict: 'failed', requests: 3, sessions: 3 })
  expect(findingsOf(review, 'report-number-range')).toMatchObject([
    { session: 1, at: '2026-03-15T12:00:00.000000Z', requests: [{ sequence: 1, status: 400 }] },
    { session: 3, at: '2026-03-15T12:01:00.000000Z', requests: [{ sequence: 2, status: 400 }] },
  ])
  // Without `since` the review covers the current session alone.
  const current = client.sandbox.review()
  expect(current).toMatchObject({ verdict: 'failed', requests: 1, sessions: 1 })
  expect(findingsOf(current, 'report-number-range')).toMatchObject([{ session: 1 }])
})

test('a last session without requests is none, and neither is any other', async () => {
  const review = await reviewOfRun(reset, ask('/projects/1/reports/1/content'), reset, reset)
  expect(review).toMatchObject({ sessions: 1, requests: 1, verdict: 'passed' })
  const client = await clientWith(ask('/projects/1/reports'), reset)
  const { ledger } = client.sandbox.review({ since: 'start', projects: [1] })
  expect(ledger.map(({ session, state }) => [session, state])).toEqual([[1, 'unsettled']])
  expect(client.sandbox.review({ since: 'start', projects: [2] }).ledger).toEqual([])
  const none = await reviewOfRun(reset)
  expect(none).toMatchObject({ sessions: 1, requests: 0, verdict: 'nothing-asked' })
})

test('nothing was read where no session of the run got a 200', async () => {
  const unread = ask('/projects/999')
  expect((await reviewOfRun(unread, reset, unread)).verdict).toBe('nothing-read')
  const readFirst = await reviewOfRun(ask('/me'), reset, unread, reset, unread)
  expect(readFirst.verdict).toBe('passed')
  expect((await reviewOfRun(unread, reset, ask('/me'))).verdict).toBe('passed')
})

test('a review that began later says so of all sessions', async () => {
  const client = await clientWith()
  const { sandbox } = client
  await play(client, [WRONG, reset, WRONG])
  restartReview(sandbox.world, Reviewer.version)
  await play(client, [ask('/me'), reset, ask('/me'), reset, ask('/me')])
  expect(sandbox.review({ since: 'start' })).toMatchObject({
    verdict: 'passed',
    sessions: 3,
    notice: expect.stringContaining('Only requests after #2 are reviewed'),
  })
  expect(sandbox.review()).not.toHaveProperty('notice')
})

test('the findings of a check are of twenty sessions, five of each that a reset ended, and say how many there were', async () => {
  const review = await reviewOfRun(
    times(24, (index) => [times(index === 0 ? 7 : 1, () => WRONG), reset]),
    times(8, () => WRONG),
  )
  const findings = findingsOf(review, 'report-number-range')
  const listed = Array.from({ length: 20 }, (_, index) => index + 1)
  expect(findings.map(({ session }) => session)).toEqual([1, 1, 1, 1, ...listed])
  expect(findings.at(-1)!.message).toMatch(
    / There were 38 of these in 25 sessions; 24 are listed\.$/,
  )
  expect(findings.filter(({ message }) => message.includes('There were'))).toHaveLength(1)
  expect(review).toMatchObject({ sessions: 25, verdict: 'failed' })
  // The last session is listed whole if it is one of the first twenty.
  const few = await reviewOfRun(
    WRONG,
    reset,
    times(8, () => WRONG),
  )
  const sessions = findingsOf(few, 'report-number-range').map(({ session }) => session)
  expect(sessions).toEqual([1, 2, 2, 2, 2, 2, 2, 2, 2])
})

test('a finding of an ended session has no bearer value that the world had then', async () => {
  const secret = 'issued-value-0123456789'
  const issue: Step = ({ sandbox }) =>
    sandbox.command({
      type: 'record.put',
      collection: 'tokens',
      record: { id: 9, name: 'Issued', token: secret, agency: 1 },
    })
  const review = await reviewOfRun(issue, ask(`/me?${secret}=1`), reset, ask('/me'))
  expect(findingsOf(review, 'unknown-parameter')).toHaveLength(1)
  expect(JSON.stringify(review)).not.toContain(secret)
})

test.runIf(isFullDepth)(
  'what ended sessions leave is bounded, and continues where it is stored',
  async () => {
    const client = await clientWith()
    const { sandbox } = client
    const { world } = sandbox
    const reviewer = new Reviewer(world)
    world.subscribe(new ReviewQueue(world, reviewer))
    const session = [
      times(20, (index) => ask(`/projects/${index + 1}/reports`)),
      times(30, () => WRONG),
      times(30, (index) => ask(`/projects?colour${index}=${'x'.repeat(400)}`)),
      reset,
    ]
    await play(
      client,
      times(120, () => session),
    )
    const review = reviewer.review({ since: 'start' })
    expect(review.ledger).toHaveLength(2000)
    expect(review.sessions).toBe(120)
    const lengthNow = () => JSON.stringify(storeReview(world)).length
    const before = lengthNow()
    await play(
      client,
      times(5, () => session),
    )
    expect(lengthNow()).toBeLessThan(before * 1.01)
    expect(lengthNow()).toBeLessThan(1_500_000)
    const resumed = new Reviewer(world, structuredClone(reviewer.state))
    expect(resumed.review({ since: 'start' })).toEqual(reviewer.review({ since: 'start' }))
  },
)
