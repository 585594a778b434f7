import { afterEach, describe, expect, test, vi } from 'vitest'
import type { FixtureInput } from '../../src/index.ts'
import type { CheckId } from '../../src/review/checks/index.ts'
import { isFullDepth } from '../support/depth.ts'
import { aProject, aToken, AGENCY, SUPER } from '../support/worlds.ts'
import { LIMITED, resultOf } from './client.ts'
import type { Sending } from './client.ts'
import { ask, fail, reviewOfHistory, reviewOfLongHistory, times, wait } from './history.ts'
import type { History } from './history.ts'

afterEach(() => {
  vi.useRealTimers()
})

/**
 * A threshold of a check: the check's result for a history with one less than the threshold, with exactly that, and with one
 * more.
 */
interface Boundary {
  rule: string
  on: number
  history: (value: number) => History
  results: [below: string, on: string, above: string]
  world?: (value: number) => Partial<FixtureInput>
  /** True for a history that no session keeps whole, which is played at full depth only. */
  isLong?: boolean
}

const URL = '/projects/1'
const REPORTS = '/projects/1/reports'
const LATEST = `${REPORTS}/latest`
const HOUR_MS = 3_600_000
const UNTIL_HOUR_IS_USED_MS = 11 * 61_000

const PASSED_FROM: Boundary['results'] = ['failed', 'passed', 'passed']
const PASSED_AFTER: Boundary['results'] = ['failed', 'failed', 'passed']
const FAILED_FROM: Boundary['results'] = ['passed', 'failed', 'failed']
const FAILED_AFTER: Boundary['results'] = ['passed', 'passed', 'failed']

/** Three attempts that fail, with two pauses. */
function threeAttempts(firstMs: number, secondMs: number): History {
  return [fail(500, 3), ask(URL), wait(firstMs), ask(URL), wait(secondMs), ask(URL)]
}

/** A token whose only limit is this one, per hour. */
function withLimits(per_hour: number): Partial<FixtureInput> {
  const rate_limit = { per_minute: 'unlimited', per_hour } as const
  return { tokens: [aToken({ id: 1, token: AGENCY, rate_limit })] }
}

/** Requests of the token of 5 a minute, each for another URL, with this pause after each, in milliseconds. */
function reads(
  count: number,
  ms: number,
  { from = 0, ...sending }: Sending & { from?: number } = {},
): History {
  return times(count, (index) => [
    ask(`/projects/${ms * 100 + index + from + 100}`, { token: LIMITED, ...sending }),
    wait(ms),
  ])
}

/** Search texts that find all projects of the world. */
const FOUND = ['P', 'r', 'o', 'j', 'e', 'c', 't'].flatMap((_, start, letters) =>
  letters.map((__, length) => letters.slice(start, start + length + 1).join('')),
)
const SEARCHES = [...new Set(FOUND)].map((text) => `/projects?per_page=2&search=${text}`)

const BOUNDARIES: Partial<Record<CheckId, Boundary[]>> = {
  'retry-after': [
    {
      rule: 'a retry may come 100 ms too soon',
      on: 29_900,
      history: (ms) => [fail(429, 1, 30), ask(URL), wait(ms), ask(URL)],
      results: PASSED_FROM,
    },
    {
      rule: 'the wait is counted from the last byte of the response',
      on: 29_900,
      history: (ms) => [fail(429, 1, 30), ask(URL, { tookMs: 9000 }), wait(ms), ask(URL)],
      results: PASSED_FROM,
    },
  ],
  'token-told-to-wait': [
    {
      rule: 'ten refusals within a wait may be of other processes',
      on: 10,
      history: (count) => reads(5 + count, 1000, { connection: 1 }),
      results: FAILED_AFTER,
    },
    {
      rule: 'and so may as many as there were connections at a time',
      on: 20,
      history: (count) => [
        ask(URL, { token: LIMITED, connection: 1, openConnections: 20 }),
        reads(4 + count, 1000, { connection: 1 }),
      ],
      results: FAILED_AFTER,
    },
    {
      rule: 'or thirty where nothing is known of connections',
      on: 30,
      history: (count) => reads(5 + count, 1000),
      results: FAILED_AFTER,
    },
    {
      rule: 'a wait ends 100 ms too soon',
      on: 44_900,
      history: (ms) => [
        reads(5, 1000, { connection: 1 }),
        reads(10, 1000, { connection: 1, from: 10 }),
        wait(ms),
        ask('/languages/4', { token: LIMITED, connection: 1 }),
      ],
      results: PASSED_FROM,
    },
  ],
  backoff: [
    {
      rule: 'two attempts are too few to be judged, three are not',
      on: 3,
      history: (count) => [fail(500, 9), times(count, () => [wait(2000), ask(URL)])],
      results: ['not-exercised', 'failed', 'failed'],
    },
    {
      rule: 'a second pause that is longer by 5 % and 10 ms is constant',
      on: 1000,
      history: (ms) => threeAttempts(940, ms),
      results: PASSED_AFTER,
    },
    {
      rule: 'a second pause that is shorter by as much is constant',
      on: 940,
      history: (ms) => threeAttempts(1000, ms),
      results: FAILED_FROM,
    },
    {
      rule: 'two pauses below 50 ms are none, however they differ',
      on: 50,
      history: (ms) => threeAttempts(10, ms),
      results: PASSED_FROM,
    },
    {
      rule: 'over four attempts pauses grow by more than 10 % and 10 ms',
      on: 1110,
      history: (ms) => [
        fail(500, 4),
        ask(URL),
        [1000, 500, ms].map((pause) => [wait(pause), ask(URL)]),
      ],
      results: PASSED_AFTER,
    },
    {
      rule: 'over six attempts on a connection the longest pause is twice the first',
      on: 200,
      history: (ms) => [
        fail(500, 6),
        ask(URL),
        [100, 150, 150, 150, ms].map((pause) => [wait(pause), ask(URL)]),
      ],
      results: PASSED_FROM,
    },
    {
      rule: 'over six attempts without a connection the longest pause is four times the first',
      on: 400,
      history: (ms) => [
        fail(500, 6),
        (client) => client.askAfter([0, 0.1, 0.2, 0.2, 0.2, ms / 1000], URL),
      ],
      results: PASSED_FROM,
    },
    {
      rule: 'five attempts may grow less',
      on: 5,
      history: (count) => [
        fail(500, count),
        ask(URL),
        times(count - 1, (index) => [wait(index === 0 ? 100 : 150), ask(URL)]),
      ],
      results: FAILED_AFTER,
    },
    {
      rule: 'pauses are counted from the last byte of a response',
      on: 940,
      history: (ms) => [
        fail(500, 3),
        ask(URL, { tookMs: 700 }),
        wait(1000),
        ask(URL, { tookMs: 300 }),
        wait(ms),
        ask(URL),
      ],
      results: FAILED_FROM,
    },
    {
      rule: 'an attempt more than a minute after the last one is not a retry',
      on: 60_000,
      history: (ms) => [fail(500, 3), times(3, () => [ask(URL), wait(ms)])],
      results: ['failed', 'failed', 'not-exercised'],
    },
  ],
  'retry-unauthorised': [
    {
      rule: 'ten refusals may be of other processes',
      on: 10,
      history: (count) => reads(count, 1000, { connection: 1, token: 'x' }),
      results: FAILED_AFTER,
    },
    {
      rule: 'a refusal holds for a minute',
      on: 60_000,
      history: (ms) => [
        reads(10, 0, { connection: 1, token: 'x' }),
        wait(ms),
        ask(URL, { connection: 1, token: 'x' }),
      ],
      results: PASSED_FROM,
    },
    {
      rule: 'a run that starts more than a minute later is not a retry',
      on: 60_000,
      history: (ms) => [ask(URL, { token: 'x' }), wait(ms), ask(URL, { token: 'x' })],
      results: PASSED_AFTER,
    },
    {
      rule: 'the minute is counted from the last byte of the response',
      on: 60_000,
      history: (ms) => [ask(URL, { token: 'x', tookMs: 500 }), wait(ms), ask(URL, { token: 'x' })],
      results: PASSED_AFTER,
    },
    {
      rule: '5000 URLs are remembered',
      on: 5000,
      history: (count) => [
        ask(`${URL}?first`, { token: 'x' }),
        times(count, (index) => ask(`${URL}?${index}`)),
        ask(`${URL}?first`, { token: 'x' }),
      ],
      results: PASSED_FROM,
      isLong: true,
    },
  ],
  'retry-missing': [
    {
      rule: 'five requests for what is not there are a loop',
      on: 5,
      history: (count) => times(count, () => [ask('/projects/99'), wait(1000)]),
      results: FAILED_FROM,
    },
    {
      rule: 'requests that are more than a minute apart are no loop',
      on: 60_000,
      history: (ms) => times(5, () => [ask('/projects/99'), wait(ms)]),
      results: PASSED_AFTER,
    },
  ],
  probing: [
    {
      rule: 'ten ids that do not exist are more than a few mistakes',
      on: 10,
      history: (count) => [ask(URL), times(count, (index) => ask(`/projects/${index + 100}`))],
      results: FAILED_FROM,
    },
  ],
  'missing-after-error': [
    {
      rule: 'a client that asks for something else after 30 seconds has not ended',
      on: 30_000,
      history: (ms) => [fail(429, 1, 30), ask(URL), wait(ms), ask('/me')],
      results: ['not-exercised', 'failed', 'failed'],
    },
    {
      rule: 'a check remembers 1000 of each kind',
      on: 1000,
      history: (count) => [
        fail(500, count + 1),
        ask('/projects?search=first'),
        times(2, () => times(count, (index) => ask(`/projects?search=${index}`))),
      ],
      results: PASSED_FROM,
    },
    {
      rule: 'what is remembered already takes no place',
      on: 3,
      history: (count) => [
        fail(500, 1000 + count),
        ask('/projects?search=first'),
        times(999, (index) => ask(`/projects?search=${index}`)),
        times(count, () => ask('/projects?search=998')),
        times(999, (index) => ask(`/projects?search=${index}`)),
      ],
      results: ['failed', 'failed', 'failed'],
    },
  ],
  'poll-latest': [
    {
      rule: 'three reads of the same unfinished report are polling',
      on: 3,
      history: (count) => times(count, () => [ask(LATEST), wait(70_000)]),
      results: FAILED_FROM,
    },
    {
      rule: 'a client that reads latest every ten minutes does not poll it',
      on: 600_000,
      history: (ms) => times(3, () => [ask(LATEST), wait(ms)]),
      results: PASSED_FROM,
    },
    {
      rule: 'other URLs in between make no difference',
      on: 3,
      history: (count) =>
        times(count, (index) => [ask(LATEST), ask(`/users?${index}`), wait(9000)]),
      results: FAILED_FROM,
    },
  ],
  'report-number-range': [
    {
      rule: 'report numbers begin with 1',
      on: 1,
      history: (number) => [ask(`${REPORTS}/${number}/content`)],
      results: PASSED_FROM,
    },
    {
      rule: 'report numbers end with 26',
      on: 26,
      history: (number) => [ask(`${REPORTS}/${number}/content`)],
      results: FAILED_AFTER,
    },
  ],
  'next-link': [
    {
      rule: 'the pages end with the last one, of three',
      on: 3,
      history: (count) => times(count, (index) => ask(`/projects?per_page=2&page=${index + 1}`)),
      results: PASSED_FROM,
    },
  ],
  'hand-made-pages': [
    {
      rule: 'a page size of 100 is the same as none',
      on: 100,
      history: (size) => [ask(`/projects?per_page=${size}`), ask('/projects?page=2')],
      results: ['failed', 'not-exercised', 'failed'],
      world: () => ({
        projects: Array.from({ length: 101 }, (_, id) => aProject({ id: id + 1 })),
      }),
    },
    {
      rule: 'the last 20 links to a page are remembered',
      on: 20,
      history: (count) => [
        ask('/projects?per_page=2&status=active'),
        SEARCHES.slice(0, count).map((search) => ask(search)),
        ask('/projects?page=2&status=active'),
      ],
      results: PASSED_FROM,
    },
    {
      rule: 'a link that is shown again is one of the last',
      on: 20,
      history: (count) => [
        ask('/projects?per_page=1'),
        ask('/projects?per_page=2&status=active'),
        ask('/projects?per_page=3'),
        ask('/projects?per_page=2&status=active'),
        SEARCHES.slice(0, count).map((search) => ask(search)),
        ask('/projects?page=2&status=active'),
      ],
      results: PASSED_FROM,
    },
  ],
  'one-by-one': [
    {
      rule: 'five are many',
      on: 5,
      history: (count) => times(count, (index) => ask(`/languages/${index + 1}`)),
      results: FAILED_FROM,
    },
    {
      rule: 'each within a minute of the one before it',
      on: 60_000,
      history: (ms) => times(5, (index) => [ask(`/languages/${index + 1}`), wait(ms)]),
      results: PASSED_AFTER,
    },
  ],
  'repeated-read': [
    {
      rule: 'ten requests for what hardly ever changes are many',
      on: 10,
      history: (count) => times(count, () => ask('/me')),
      results: ['not-exercised', 'failed', 'failed'],
    },
    {
      rule: 'beside twenty others they are a third of all',
      on: 20,
      history: (count) => [
        times(10, () => ask('/users')),
        times(count, (index) => ask(`/projects/${index + 90}`)),
      ],
      results: ['failed', 'failed', 'not-exercised'],
    },
    {
      rule: 'each within a minute of the one before',
      on: 60_000,
      history: (ms) => times(10, () => [ask('/me'), wait(ms)]),
      results: ['failed', 'failed', 'not-exercised'],
    },
    {
      rule: 'a read a minute later is a patient one, also where the world clock stands still',
      on: 60_000,
      history: (ms) => [(client) => client.sandbox.clock.freeze(), ask(URL), wait(ms), ask(URL)],
      results: PASSED_FROM,
    },
    {
      rule: 'a read after the next refresh is not a repeated one',
      on: 30_000,
      history: (ms) => [wait(30_000), ask(URL), wait(ms), ask(URL)],
      results: PASSED_FROM,
    },
  ],
  'hour-budget': [
    {
      rule: 'half of the budget of an hour exercises it',
      on: 100,
      history: () => times(50, () => ask('/me')),
      results: ['passed', 'passed', 'not-exercised'],
      world: withLimits,
    },
    {
      rule: 'it is looked up after every 50 requests',
      on: 50,
      history: (count) => times(count, () => ask('/me')),
      results: ['not-exercised', 'passed', 'passed'],
      world: () => withLimits(80),
    },
    {
      rule: 'an hour ends 60 minutes after its first request',
      on: HOUR_MS - UNTIL_HOUR_IS_USED_MS,
      history: (ms) => [
        times(11, () => [ask('/me', { token: LIMITED }), wait(61_000)]),
        ask('/me', { token: LIMITED }),
        wait(ms),
        ask('/me', { token: LIMITED }),
      ],
      results: ['failed', 'not-exercised', 'not-exercised'],
    },
    {
      rule: 'a budget that a fixture had used up is not the fault of the client',
      on: 1,
      history: (count) => times(count, () => ask('/me')),
      results: ['not-exercised', 'not-exercised', 'not-exercised'],
      world: () => ({
        tokens: [
          aToken({ id: 1, token: AGENCY, rate_limit: { per_hour: 12 }, spent: 'hour' }),
          aToken({ id: 2, token: SUPER, agency: null }),
        ],
      }),
    },
  ],
}

describe.each(Object.entries(BOUNDARIES) as [CheckId, Boundary[]][])('%s', (id, boundaries) => {
  const played = boundaries.filter(({ isLong = false }) => isFullDepth || !isLong)
  test.each(played)('$rule: $on', async ({ on, history, results, world, isLong }) => {
    const found: string[] = []
    for (const value of [on - 1, on, on + 1]) {
      const reviewOf = isLong ? reviewOfLongHistory : reviewOfHistory
      const review = await reviewOf(history(value), world?.(value))
      found.push(resultOf(review, id)[0])
    }
    expect(found).toEqual(results)
  })
})
