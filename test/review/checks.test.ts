import { afterEach, describe, expect, test, vi } from 'vitest'
import type { FaultInput } from '../../src/index.ts'
import { CHECK_IDS } from '../../src/review/checks/index.ts'
import type { CheckId } from '../../src/review/checks/index.ts'
import { aProject, aReport, AGENCY, SUPER } from '../support/worlds.ts'
import { Client, DISABLED, ELSEWHERE, failedIn, LIMITED, resultOf } from './client.ts'
import { ask, askDuring, fail, play, reviewOfHistory, times, wait } from './history.ts'
import type { History, Step } from './history.ts'

afterEach(() => {
  vi.useRealTimers()
})

type Act = Step | History

interface Case {
  title: string
  act: Act
  /** The result of the check, with the requests of each finding. */
  expected: [result: string, ...requests: number[][]]
}

function does(title: string, act: Act, ...requests: number[][]): Case {
  return { title, act, expected: ['failed', ...requests] }
}

function almost(title: string, act: Act): Case {
  return { title, act, expected: ['passed'] }
}

function neverMeets(title: string, act: Act): Case {
  return { title, act, expected: ['not-exercised'] }
}

const REPORTS = '/projects/1/reports'
const LATEST = `${REPORTS}/latest`

const completeSecond: Step = ({ sandbox }) =>
  sandbox.reports.complete({ project: 1, report_number: 2 })

type RetryAfter = Extract<FaultInput, { kind: 'status' }>['retry_after']

/** Makes the next requests get a 503 with this Retry-After. */
function unavailable(retry_after: RetryAfter, first = 1): Step {
  return ({ sandbox }) =>
    sandbox.faults.add({ kind: 'status', status: 503, retry_after, schedule: { first } })
}

function patchToken(id: number, patch: object): Step {
  return ({ sandbox }) =>
    sandbox.command({ type: 'record.patch', collection: 'tokens', id, patch: { ...patch } })
}

/** Breaks the next response. */
function broken(kind: 'reset' | 'malformed-json' | 'truncated-body'): Step {
  return ({ sandbox }) => sandbox.faults.add({ kind, schedule: { first: 1 } })
}

/** Resets the connections of the next requests before the first byte. */
function resets(first: number): Step {
  return ({ sandbox }) => sandbox.faults.add({ kind: 'reset', schedule: { first } })
}

/** Sets the machine's clock back. */
function setBack(ms: number): Step {
  return wait(-ms)
}

/** Requests a path that need not be below `/api/v1`; without an Authorization header if the token is null. */
function elsewhere(path: string, token: string | null = AGENCY): Step {
  const headers = new Headers(token === null ? {} : { Authorization: `Bearer ${token}` })
  return ({ sandbox }) => sandbox.fetch(path, { headers })
}

/** Requests a path repeatedly, with these pauses in seconds before each request. */
function askAfter(seconds: readonly number[], path: string, token?: string): Step {
  return (client) => client.askAfter(seconds, path, token)
}

/** A path for each index, different from all others. */
function another(index: number): string {
  return `/projects/${(index % 5) + 1}/reports/${Math.floor(index / 5) + 1}/content`
}

/** Has the links of pages lack the parameters of their request (G-033). */
const dropParameters: Step = ({ sandbox }) =>
  sandbox.command({ type: 'policy.set', policies: { 'page-link-parameters': 'dropped' } })

/** Requests of a token of 5 a minute, each for another URL and `seconds` after the previous one, on this connection. */
function limited(
  count: number,
  {
    from = 0,
    seconds = 1,
    on,
    token = LIMITED,
  }: {
    from?: number
    seconds?: number
    on?: (index: number) => number
    token?: string
  } = {},
): History {
  return times(count, (index) => [
    ask(another(from + index), { token, ...(on && { connection: on(index) }) }),
    wait(seconds * 1000),
  ])
}

const COUNTRIES_AND_USERS = {
  countries: [1, 2, 3, 4, 5].map((id) => ({ id, label: `Country ${id}` })),
  users: [1, 2, 3, 4, 5].map((id) => ({ id, name: `User ${id}`, agency: 1 })),
}

/** For each check, clients that make its mistake, and clients that almost do. */
const CASES: Record<CheckId, Case[]> = {
  'retry-after': [
    does(
      'a retry after 29 of 30 seconds',
      [fail(429, 1, 30), askAfter([0, 29], '/projects')],
      [2, 3],
    ),
    does(
      'a retry after two minutes of the half hour that an hourly limit takes',
      [fail(429, 1, 1800), askAfter([0, 120], '/projects')],
      [2, 3],
    ),
    does(
      'the same in another way: a slash, a query that changes nothing, HEAD',
      ['/me/', '/me?_=1'].map((path) => [fail(429, 1, 30), ask('/me'), ask(path), wait(60_000)]),
      [2, 3],
      [5, 6],
    ),
    does(
      'by HEAD',
      [fail(503, 1, 30), ask('/projects'), wait(5000), ask('/projects', { method: 'HEAD' })],
      [2, 3],
    ),
    does('a retry of a 503 too soon', [fail(503, 1, 10), askAfter([0, 5], '/projects')], [2, 3]),
    almost('a retry when a test has moved the clock by as much', [
      fail(429, 1, 30),
      ask('/projects'),
      ({ sandbox }) => sandbox.clock.advance('PT30S'),
      ask('/projects'),
    ]),
    neverMeets('a URL that was not told to wait, and another token', [
      fail(429, 1, 30),
      ask('/projects'),
      ask('/me'),
      ask('/projects', { token: SUPER }),
    ]),
    neverMeets('a request while the response to the one before is under way', [
      fail(429, 1, 30),
      askDuring('/projects', ask('/projects')),
    ]),
    neverMeets('a request after a change of the world, which may have lifted the limit', [
      fail(429, 1, 30),
      ask('/projects'),
      ({ sandbox }) => sandbox.faults.clear(),
      ask('/projects'),
    ]),
    neverMeets('another method', [fail(429, 1, 30), ask('/me', { method: 'HEAD' }), ask('/me')]),
    almost('a wait of no time', [fail(429, 1, 0), ask('/me'), ask('/me')]),
    does('two that came too soon', [fail(503, 2, 9), times(3, () => ask('/me'))], [2, 3], [3, 4]),
    ...[{ date_in: 120 }, 'Sunday, 15-Mar-26 12:02:00 GMT', 'Sun Mar 15 12:02:00 2026'].flatMap(
      (until) => [
        does(
          `a retry at once after the date ${JSON.stringify(until)}`,
          [unavailable(until), ask('/projects'), ask('/projects')],
          [2, 3],
        ),
        almost(`a retry less than a second before ${JSON.stringify(until)}`, [
          unavailable(until),
          askAfter([0, 119.1], '/projects'),
        ]),
      ],
    ),
    does('seconds in quotes', [unavailable('30'), ask('/me'), ask('/me')], [2, 3]),
    almost('a wait until the date, of whose time the response took most', [
      unavailable({ date_in: 30 }),
      ask('/me', { tookMs: 25_000 }),
      wait(5000),
      ask('/me'),
    ]),
    neverMeets(
      'dates that have passed, and text that is none',
      [{ date_in: -10 }, { date_in: 0 }, 'Sun, 06 Nov 1994 08:49:37 GMT', 'soon'].map((until) => [
        unavailable(until),
        ask('/me'),
        ask('/me'),
        wait(61_000),
      ]),
    ),
  ],
  'token-told-to-wait': [
    does(
      'a client that reads on, on one connection',
      limited(16, { on: () => 1 }),
      [6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    ),
    does(
      'a connection for each request',
      limited(16, { on: (index) => index + 1 }),
      [6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    ),
    does(
      'the same in another way: a HEAD, a query, a trailing slash',
      [
        limited(5),
        ask(another(5), { token: LIMITED }),
        ask(another(5), { token: LIMITED, method: 'HEAD' }),
        ask(`${another(5)}?again`, { token: LIMITED }),
        ask(`${another(5)}/`, { token: LIMITED }),
      ],
      [6, 7],
      [6, 8],
      [6, 9],
    ),
    does('once in a wait', limited(30, { on: () => 1 }), [6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
    does(
      'once in two waits, because it is one mistake until something changes',
      limited(50, { seconds: 2, on: () => 1 }),
      [6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    ),
    almost('a client that waits', [
      limited(6, { on: () => 1 }),
      wait(60_000),
      ask(another(5), { token: LIMITED }),
    ]),
    neverMeets('a client that stops', limited(6)),
    almost('four processes with one token', limited(9, { on: (index) => (index % 4) + 1 })),
    almost('four processes with a connection for each request', limited(9)),
    almost(
      'eight workers with a connection each',
      limited(13, { seconds: 0.1, on: (index) => (index % 8) + 1 }),
    ),
    almost('twelve processes, as many as had connections at a time', [
      times(12, (index) => [
        ask(another(index), { token: LIMITED, connection: index + 1, openConnections: 12 }),
      ]),
      times(5, (index) => ask(another(index + 12), { token: LIMITED, connection: index + 1 })),
    ]),
    almost('workers that take turns with their connections', [
      times(5, (index) => ask(another(index), { token: LIMITED, connection: index + 1 })),
      limited(5, { from: 5, on: () => 1 }),
    ]),
    almost('eight workers with a connection for each request', [
      limited(5, { seconds: 0.001, on: (index) => index + 1 }),
      limited(8, { from: 5, seconds: 0.2, on: (index) => index + 6 }),
    ]),
    almost('two tokens, of which one waits', [
      limited(7, { on: () => 1 }),
      limited(9, { token: AGENCY, on: () => 1 }),
    ]),
    neverMeets('a 429 of a fault', [fail(429, 9, 30), limited(9, { token: AGENCY, on: () => 1 })]),
    neverMeets('a 429 of a fault, for an unknown token', [
      fail(429, 9, 30),
      limited(9, { token: 'x', on: () => 1 }),
    ]),
    almost('a clock that a test has moved', [
      limited(6, { on: () => 1 }),
      ({ sandbox }) => sandbox.clock.advance('PT1M'),
      limited(5, { from: 5, on: () => 1 }),
    ]),
    almost('a limit that was raised', [
      limited(8, { on: () => 1 }),
      patchToken(3, { rate_limit: { per_minute: 9 } }),
      limited(2, { from: 8, on: () => 1 }),
    ]),
    almost('a change of the world, though the limit is as it was', [
      limited(8, { on: () => 1 }),
      completeSecond,
      limited(2, { from: 8, on: () => 1 }),
    ]),
    almost('a worker that was there before, and a connection for each of four processes', [
      ask(another(0), { token: LIMITED, connection: 2 }),
      limited(5, { from: 1, on: () => 1 }),
      limited(5, { from: 6, on: (index) => index + 2 }),
    ]),
    does(
      'beside another token with many requests at the same time',
      [times(20, (index) => ask(another(index))), limited(16, { on: () => 1 })],
      [26, 27, 28, 29, 30, 31, 32, 33, 34, 35],
    ),
    almost('repeats of one URL, which are another mistake', [
      limited(5, { on: () => 1 }),
      times(9, () => ask(another(5), { token: LIMITED, connection: 1 })),
    ]),
    neverMeets('a reset', [limited(7, { on: () => 1 }), ({ sandbox }) => sandbox.reset()]),
  ],
  backoff: [
    does(
      'four attempts without a pause where the connection is reset, the first repeat of which a client may send by itself',
      [resets(3), times(4, () => ask('/projects'))],
      [3, 4, 5],
    ),
    neverMeets('a repeat that an HTTP client sends by itself, and one of the client', [
      resets(2),
      times(3, () => ask('/projects')),
    ]),
    does(
      'three attempts at a constant interval',
      [fail(500, 3), askAfter([0, 2, 2, 61], '/projects')],
      [2, 3, 4],
    ),
    does(
      'three attempts that a proxy refuses with a 429, which does not say how long to wait',
      [
        ({ sandbox }) => sandbox.faults.add({ kind: 'html', status: 429, schedule: { first: 3 } }),
        askAfter([0, 2, 2, 61], '/projects'),
      ],
      [2, 3, 4],
    ),
    almost('pauses that are equal because its token was told to wait, for other URLs', [
      ({ sandbox }) =>
        sandbox.faults.add({
          kind: 'status',
          status: 503,
          endpoint: 'GET /projects',
          schedule: { first: 3 },
        }),
      times(3, (round) => [
        ask('/projects', { token: LIMITED }),
        limited(6, { from: round * 6, seconds: 0 }),
        wait(60_000),
      ]),
    ]),
    almost('pauses that double, up to a highest one', [
      fail(500, 6),
      askAfter([0, 1, 2, 4, 8, 8, 8], '/projects'),
    ]),
    neverMeets('waits that Retry-After has said', [
      fail(503, 3, 5),
      askAfter([0, 5, 5, 5], '/projects'),
    ]),
    does(
      'more attempts than it names',
      [fail(500, 12), times(13, () => [ask('/me'), wait(1000)])],
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    ),
    does(
      'attempts that go on while another one fails',
      [fail(500, 4), times(2, () => [ask('/me'), wait(1000)]), ask('/projects'), ask('/me')],
      [2, 3, 5],
    ),
    does(
      'attempts twice, with success in between',
      times(2, () => [fail(500, 2), times(3, () => [ask('/me'), wait(1000)])]),
      [2, 3, 4],
      [6, 7, 8],
    ),
    neverMeets('attempts that were under way at the same time', [
      fail(500, 3),
      askDuring('/me', askDuring('/me', ask('/me'))),
    ]),
    neverMeets('what an HTTP client asks for the rest of', [
      fail(500, 4),
      ask('/me'),
      times(3, () => [wait(500), ask('/me', { range: 'bytes=100-' })]),
    ]),
    neverMeets('two attempts, and a third after a change of the world', [
      fail(500, 3),
      ask('/me'),
      ask('/me'),
      completeSecond,
      ask('/me'),
    ]),
    neverMeets(
      'what was not found',
      times(3, () => ask('/projects/99')),
    ),
  ],
  'retry-unauthorised': [
    does(
      'a disabled token that tries again',
      [ask('/projects'), askAfter([0, 20], '/projects', DISABLED)],
      [2, 3],
    ),
    almost('another token for the same URL', [
      ask('/projects', { token: DISABLED }),
      ask('/projects'),
    ]),
    almost('a token that a person has enabled meanwhile', [
      ask('/projects', { token: DISABLED }),
      patchToken(4, { status: 'active' }),
      ask('/projects', { token: DISABLED }),
    ]),
    neverMeets('a token that is known', askAfter([0, 1], '/projects')),
    does(
      'an address that is not allowed',
      times(2, () => ask('/me', { token: ELSEWHERE })),
      [1, 2],
    ),
    does(
      'other URLs with a connection for each request',
      limited(11, { token: 'x', on: (index) => index + 1 }),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ),
    does(
      'other URLs for two minutes, which is one mistake',
      limited(40, { token: 'x', seconds: 3, on: () => 1 }),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ),
    almost('eight workers that all learn it', [
      times(8, (index) => ask(another(index), { connection: index + 1 })),
      times(8, (index) => [
        ask(another(index + 8), { connection: index + 1, token: DISABLED }),
        wait(100),
      ]),
    ]),
    almost('other URLs a minute later', [
      ask('/me', { token: 'x' }),
      wait(60_000),
      limited(5, { token: 'x' }),
    ]),
    neverMeets(
      'what was not found',
      times(2, () => ask('/projects/99')),
    ),
    almost('a request while the response to the one before is under way', [
      askDuring('/me', ask('/me', { token: 'x' }), { token: 'x' }),
    ]),
  ],
  'retry-missing': [
    does(
      'the same keyword list seven times',
      times(7, () => [ask('/projects/99/keywords'), wait(500)]),
      [1, 2, 3, 4, 5],
    ),
    almost('what is there at last', [
      times(4, () => ask(`${REPORTS}/9/content`)),
      ask('/projects/1'),
      times(4, () => [ask('/projects/98'), wait(70_000)]),
    ]),
    neverMeets(
      'latest of a project without reports, for which a client waits',
      times(9, () => [ask('/projects/3/reports/latest'), wait(1000)]),
    ),
    neverMeets(
      'lists without an id',
      times(5, () => ask('/projects')),
    ),
  ],
  probing: [
    does(
      'the report numbers of a project, one after the other',
      times(23, (index) => ask(`${REPORTS}/${index + 4}/content`)),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ),
    almost('the same id again and again', [
      ask('/projects/1'),
      times(12, () => [ask('/projects/99'), wait(61_000)]),
    ]),
    almost('nine ids by each of two tokens', [
      ask('/projects/1'),
      times(18, (index) =>
        ask(`/projects/${(index % 9) + 90}`, { token: index < 9 ? AGENCY : SUPER }),
      ),
    ]),
    neverMeets('the list', ask('/projects')),
  ],
  'missing-after-error': [
    does(
      'a page that failed and was left out',
      [fail(500, 1), ask('/projects?page=1'), ask('/projects/1')],
      [2],
    ),
    almost('a retry that succeeds', [fail(500, 2), askAfter([0, 1, 2], '/projects')]),
    almost('a retry with a parameter that the endpoint does not have', [
      fail(500),
      ask(`${REPORTS}/1/content`),
      ask(`${REPORTS}/1/content?_=1`),
    ]),
    almost('a retry that learns that there is nothing', [
      fail(500, 1),
      askAfter([0, 1], '/projects/77'),
    ]),
    almost('the reports list in place of last-generated', [
      fail(500, 1),
      ask(`${REPORTS}/last-generated`),
      ask(REPORTS),
    ]),
    neverMeets('a check of the token that failed', [fail(500, 1), ask('/me')]),
    does(
      'a retry with another token',
      [fail(500), ask('/projects'), ask('/projects', { token: SUPER })],
      [2],
    ),
    does(
      'a retry that is told to wait',
      [fail(500), ask('/projects'), fail(429), ask('/projects')],
      [2],
    ),
    does('two that were left out', [fail(500, 2), ask('/projects'), ask('/users')], [2], [3]),
    does('latest of another project', [fail(500), ask(LATEST), ask('/projects/2/reports')], [2]),
    almost('latest in place of the reports list', [fail(500), ask(REPORTS), ask(LATEST)]),
    does(
      'what a 408 left out',
      [
        ({ sandbox }) =>
          sandbox.faults.add({ kind: 'status', status: 408, schedule: { first: 1 } }),
        ask('/projects'),
        ask('/users'),
      ],
      [2],
    ),
    neverMeets('a client that is told to wait, waits and asks again', [
      fail(429, 1, 30),
      ask('/projects'),
      wait(30_000),
      ask('/projects'),
      ask('/users'),
    ]),
    neverMeets("a client that ends at an hour's wall, whose other workers end there too", [
      fail(429, 3, 3600),
      ask('/projects'),
      ask('/projects/1'),
      ask('/projects/2'),
    ]),
    neverMeets('what a 429 left out, asked for with another token', [
      fail(429, 1, 30),
      ask('/projects'),
      wait(60_000),
      ask('/users', { token: SUPER }),
    ]),
    neverMeets('an unknown path, and another method', [
      fail(500, 2),
      ask('/nothing'),
      ask('/projects', { method: 'HEAD' }),
    ]),
  ],
  'unfinished-content': [
    does(
      'the content of the report that latest shows as running',
      [ask(LATEST), ask(`${REPORTS}/2/content`)],
      [2],
    ),
    does('content of a number at a venture', ask(`${REPORTS}/3/content`), [1]),
    almost('a completed report', [ask(REPORTS), ask(`${REPORTS}/1/content`)]),
    almost('a report that is regenerated after it was seen completed', [
      ask(REPORTS),
      ({ sandbox }) => sandbox.reports.regenerate({ project: 1, report_number: 1 }),
      ({ sandbox }) => sandbox.reports.set({ project: 1, report_number: 1 }, { status: 'running' }),
      ask(`${REPORTS}/1/content`),
    ]),
    neverMeets('no content', ask(REPORTS)),
    almost('content that is not there', [ask(`${REPORTS}/9/content`), ask(`${REPORTS}/1/content`)]),
    does(
      'a report that the list shows as running',
      [ask(REPORTS), ask(`${REPORTS}/2/content`)],
      [2],
    ),
    does(
      'the report of another project',
      [ask(REPORTS), completeSecond, ask(REPORTS), ask('/projects/2/reports/2/content')],
      [4],
    ),
    does(
      'a report that was seen to be generated again',
      [
        ask(REPORTS),
        ({ sandbox }) => sandbox.reports.regenerate({ project: 1, report_number: 1 }),
        ({ sandbox }) =>
          sandbox.reports.set({ project: 1, report_number: 1 }, { status: 'running' }),
        ask(REPORTS),
        ask(`${REPORTS}/1/content`),
      ],
      [5],
    ),
  ],
  'poll-latest': [
    does(
      'three reads of latest until it is completed',
      [askAfter([0, 120], LATEST), completeSecond, askAfter([120], LATEST)],
      [1, 2, 4],
    ),
    does(
      'three rounds over two projects, each with the same list in front',
      times(3, () =>
        ['/projects', LATEST, '/projects/2/reports/latest'].map((path) => askAfter([70], path)),
      ),
      [2, 5, 8],
      [3, 6, 9],
    ),
    almost(
      'latest beside last-generated in every round',
      times(4, () => [askAfter([70], `${REPORTS}/last-generated`), askAfter([70], LATEST)]),
    ),
    almost(
      'a dashboard that looks once a day',
      times(5, () => [ask(LATEST), ({ sandbox }) => sandbox.clock.advance('P1D')]),
    ),
    does(
      'three reads of the project itself',
      times(4, () => [ask('/projects/1'), wait(300_000)]),
      [1, 2, 3],
    ),
    almost('a project that is read once a run', [
      askAfter([0, 1200, 1200], '/projects/1'),
      askAfter([0, 1200], LATEST),
    ]),
    neverMeets('one read of latest', ask(LATEST)),
    does(
      'five reads, once',
      times(5, () => [ask(LATEST), wait(70_000)]),
      [1, 2, 3],
    ),
    almost(
      'two reads each by two tokens',
      times(4, (index) => [ask(LATEST, { token: index % 2 === 0 ? AGENCY : SUPER }), wait(70_000)]),
    ),
    almost('a read of one report, and two of the next', [
      ask(LATEST),
      ({ sandbox }) =>
        sandbox.reports.set(
          { project: 1, report_number: 3 },
          { status: 'running', date_to_create_texts: '2026-03-12' },
        ),
      ({ sandbox }) =>
        sandbox.reports.set(
          { project: 1, report_number: 2 },
          { date_to_create_texts: '2026-04-12' },
        ),
      times(2, () => [ask(LATEST), wait(70_000)]),
    ]),
    almost('any number of reads of a completed one', [
      completeSecond,
      times(4, () => [ask(LATEST), wait(70_000)]),
    ]),
    does(
      'the list of another project in between',
      times(3, () => [ask(LATEST), ask('/projects/2/reports'), wait(70_000)]),
      [1, 3, 5],
    ),
  ],
  'report-number-range': [
    does('numbers 0 and 27', [ask(`${REPORTS}/0/content`), ask(`${REPORTS}/27/content`)], [1], [2]),
    neverMeets('no content', ask(REPORTS)),
  ],
  'next-link': [
    does('the first of three pages alone', [ask('/projects?per_page=2'), ask('/projects/1')], [1]),
    almost('all pages, with something else in between', [
      ask('/projects?per_page=2'),
      ask('/projects/1'),
      ask('/projects?page=2&per_page=2'),
      ask('/projects?page=3&per_page=2'),
    ]),
    almost('links that lack the filters, with them', [
      dropParameters,
      ask('/projects?status=active&per_page=2'),
      ask('/projects?page=2&status=active&per_page=2'),
      ask('/projects?page=3&status=active&per_page=2'),
    ]),
    almost(
      'the other pages at the same time, the last one first',
      [1, 3, 2].map((page) => ask(`/projects?per_page=2&page=${page}`)),
    ),
    almost('the first hit of a search', ask('/projects?search=Pro&per_page=2')),
    neverMeets('a list of one page', ask('/projects')),
    does(
      'a page that another token requested',
      [ask('/projects?per_page=3'), ask('/projects?per_page=3&page=2', { token: SUPER })],
      [1],
    ),
    does(
      'a page that was requested with another method',
      [ask('/projects?per_page=3'), ask('/projects?per_page=3&page=2', { method: 'HEAD' })],
      [1],
    ),
    does(
      'another page of the list',
      [
        ask('/projects?per_page=1'),
        times(3, (index) => ask(`/projects?per_page=1&page=${index + 3}`)),
      ],
      [1],
    ),
    does(
      'the second time',
      times(2, (index) => [
        ask('/projects?per_page=3'),
        index === 0 ? [ask('/projects?page=2&per_page=3')] : [],
        wait(70_000),
      ]),
      [3],
    ),
    does(
      'a list with other filters',
      [ask('/projects?per_page=3'), ask('/projects?per_page=3&page=2&status=active')],
      [1],
    ),
    almost('a page that has lost its filters', [
      ask('/projects?per_page=3'),
      ask('/projects?page=2'),
    ]),
    almost('a link that could not be read', [
      broken('truncated-body'),
      ask('/projects?per_page=3'),
      ask('/projects?per_page=3'),
      ask('/projects?per_page=3&page=2'),
    ]),
    neverMeets('a list that failed', [fail(500), ask('/projects?per_page=3')]),
  ],
  'hand-made-pages': [
    does(
      'a second page without the filter',
      [ask('/projects?status=active&per_page=3'), ask('/projects?page=2&per_page=3')],
      [1, 2],
    ),
    does(
      'a second page of another size',
      [ask('/projects?per_page=2'), ask('/projects?page=2&per_page=1')],
      [1, 2],
    ),
    does(
      'a link that lacks the size of the pages, as it is',
      [dropParameters, ask('/projects?per_page=2'), ask('/projects?page=2')],
      [2, 3],
    ),
    almost('a link that lacks them, with them', [
      dropParameters,
      ask('/projects?status=active&per_page=2'),
      ask('/projects?page=2&status=active&per_page=2'),
    ]),
    almost('the parameters in another order', [
      ask('/projects?status=active&per_page=2'),
      ask('/projects?per_page=2&page=2&status=active'),
    ]),
    neverMeets('one page', ask('/projects?status=active&per_page=2')),
    does(
      'the link that was shown last',
      [
        times(2, () => [ask('/projects?status=active&per_page=3'), wait(70_000)]),
        ask('/projects?page=2&per_page=3'),
      ],
      [2, 3],
    ),
    almost('other filters', [
      ask('/projects?status=active&per_page=3'),
      ask('/projects?page=2&per_page=3&search=Pro'),
    ]),
    almost('what two links have, one after the other', [
      ask('/projects?status=active&per_page=3'),
      ask('/projects?per_page=3'),
      ask('/projects?page=2&per_page=3'),
    ]),
    almost('what two links have, the other way round', [
      ask('/projects?per_page=3'),
      ask('/projects?status=active&per_page=3'),
      ask('/projects?page=2&per_page=3'),
    ]),
    almost('parameters without a value', [
      ask('/projects?status=active&per_page=3&search='),
      ask('/projects?page=2&status=active&per_page=3'),
    ]),
    neverMeets('the link of another token', [
      ask('/projects?status=active&per_page=3'),
      ask('/projects?page=2&per_page=3', { token: SUPER }),
    ]),
    neverMeets('a link that was not read', [
      broken('truncated-body'),
      ask('/projects?status=active&per_page=3'),
      ask('/projects?page=2&per_page=3'),
    ]),
    neverMeets('another page', [
      ask('/projects?status=active&per_page=1'),
      ask('/projects?page=3&per_page=1'),
    ]),
    neverMeets('another method', [
      ask('/projects?status=active&per_page=3'),
      ask('/projects?page=2&per_page=3', { method: 'HEAD' }),
    ]),
  ],
  'unknown-parameter': [
    does('a parameter of another API', ask('/projects?limit=5'), [1]),
    almost('those that there are', ask('/projects?status=active&search=Pro&page=1&per_page=50')),
    almost('paging of a list that has no pages', ask('/users?page=1')),
    neverMeets('no parameters', ask('/projects')),
    almost('a token, which is another mistake', [ask('/projects?api_key=x')]),
    does('one beside those that there are', [ask('/projects?page=1&order=name')], [1]),
    neverMeets('an unknown path', [ask('/nothing?limit=5')]),
  ],
  'agency-filter-scoped': [
    does('the token of an agency', ask('/projects?agency_id=1'), [1]),
    almost('a super-admin token', ask('/projects?agency_id=1', { token: SUPER })),
    neverMeets('no list', ask('/me')),
    almost('a search for its name', [ask('/projects?search=agency_id')]),
    neverMeets('an unknown token', [ask('/projects?agency_id=1', { token: 'x' })]),
  ],
  'unknown-path': [
    does(
      'each path once, whatever its ids',
      [
        ask('/me'),
        times(3, (index) => ask(`/project/${index + 1}`)),
        ask('/projects/1/report'),
        ask('/project/9'),
      ],
      [2],
      [5],
    ),
    does('another base URL', [elsewhere('/v1/me'), elsewhere('/v1/projects')], [1, 2]),
    does('a token, on a path without a version', [ask('/me'), elsewhere('/nowhere')], [2]),
    almost('what browsers ask for', [
      ask('/me'),
      ...[
        '/',
        '/favicon.ico',
        '/robots.txt',
        '/apple-touch-icon-precomposed.png',
        '/.well-known/appspecific/com.chrome.devtools.json',
      ].map((path) => elsewhere(path)),
    ]),
    almost('a path without a version and a token', [ask('/me'), elsewhere('/nowhere', null)]),
    almost('a record that is not there, and another method', [
      ask('/projects/99'),
      ask('/projects', { method: 'POST' }),
    ]),
    almost('a doubled prefix, which is another mistake', [ask('/me'), ask('/api/v1/me')]),
    neverMeets('nothing', []),
  ],
  'doubled-prefix': [
    does('a link behind the base URL', ask(`/api/v1${LATEST}`), [1]),
    almost('a link', ask(LATEST)),
    neverMeets('no link', ask('/me')),
    almost('last-generated', [ask(`${REPORTS}/last-generated`)]),
    almost('a page', [ask('/projects?per_page=2&page=2')]),
    neverMeets('a first page', [ask('/projects?status=active')]),
    neverMeets('a page of another list', [ask('/users?page=1')]),
  ],
  'one-by-one': [
    does(
      'five of seven languages',
      times(7, (index) => ask(`/languages/${index + 1}`)),
      [1, 2, 3, 4, 5],
    ),
    almost('the list', ask('/languages')),
    neverMeets('neither', ask('/projects/1')),
    almost(
      'one of them, again and again',
      times(9, () => [ask('/languages/1'), wait(100)]),
    ),
    almost(
      'four each by two tokens',
      times(8, (index) =>
        ask(`/languages/${(index % 4) + 1}`, { token: index < 4 ? AGENCY : SUPER }),
      ),
    ),
    almost('the list after four of them, and one more', [
      times(4, (index) => ask(`/languages/${index + 1}`)),
      ask('/languages'),
      ask('/languages/5'),
    ]),
    almost('what is not there', [
      ask('/languages/1'),
      times(9, (index) => ask(`/languages/${index + 20}`)),
    ]),
    does(
      'five, with the list of another kind in between',
      [times(4, (index) => ask(`/languages/${index + 1}`)), ask('/countries'), ask('/languages/5')],
      [1, 2, 3, 4, 6],
    ),
  ],
  'repeated-read': [
    does('twice within a minute', askAfter([1, 30], '/projects'), [1, 2]),
    almost('again after a change', [ask(REPORTS), completeSecond, ask(REPORTS)]),
    neverMeets('what is not refreshed', askAfter([0, 1], '/me')),
    does(
      'each of three',
      times(3, () => ask('/projects')),
      [1, 2],
      [2, 3],
    ),
    neverMeets('what failed before', [fail(500), ask('/projects'), ask('/projects')]),
    neverMeets('what came with a broken body before', [
      broken('truncated-body'),
      ask('/projects'),
      ask('/projects'),
    ]),
    neverMeets('what fails now', [ask('/projects'), fail(500), ask('/projects')]),
    neverMeets(
      'what was not found',
      times(2, () => ask('/projects/99')),
    ),
    neverMeets('what an HTTP client asks for the rest of', [
      broken('truncated-body'),
      ask('/projects'),
      ask('/projects', { range: 'bytes=100-' }),
      ask('/projects'),
    ]),
    does(
      'a whole range',
      times(2, () => ask('/projects', { range: 'bytes=0-' })),
      [1, 2],
    ),
    does(
      'whose token it is ahead of each project',
      times(10, (index) => [ask('/me'), ask(`/projects/${(index % 5) + 1}/reports?${index}`)]),
      [1, 3, 5, 7, 9, 11, 13, 15, 17, 19],
    ),
    neverMeets(
      'whose token it is, in each of many runs',
      times(20, () => [ask('/me'), ask('/users'), wait(61_000)]),
    ),
    neverMeets('two at the same time', [
      ({ sandbox }) => sandbox.faults.add({ kind: 'latency', ms: 1 }),
      askDuring('/projects', ask('/projects')),
    ]),
  ],
  'hour-budget': [
    does('more requests than an hour has', askAfter(Array(13).fill(61), '/me', LIMITED), [13]),
    neverMeets('the minute alone', askAfter(Array(7).fill(0), '/me', LIMITED)),
    neverMeets('as many in two hours', askAfter(Array(13).fill(301), '/me', LIMITED)),
    does(
      'once in an hour',
      [
        times(12, () => [ask('/me', { token: LIMITED }), wait(61_000)]),
        times(3, () => ask('/me', { token: LIMITED })),
      ],
      [13],
    ),
    does(
      'in each of two hours',
      times(2, () => [
        times(13, () => [ask('/me', { token: LIMITED }), wait(61_000)]),
        wait(3_600_000),
      ]),
      [13],
      [26],
    ),
    neverMeets('a limit that a fault had', [
      times(12, () => [ask('/me', { token: LIMITED }), wait(61_000)]),
      fail(429, 1, 30),
      ask('/me', { token: LIMITED }),
    ]),
    neverMeets(
      'a token without limits',
      times(60, () => ask('/me')),
    ),
  ],
  'json-accept': [
    does('what fetch sends by itself', ask('/me', { accept: '*/*' }), [1]),
    almost('JSON among others', ask('/me', { accept: 'text/html, application/json;q=0.9' })),
    neverMeets('no endpoint', ask('/nothing')),
    does(
      'each of two tokens, once',
      times(4, (index) => ask('/me', { accept: null, token: index % 2 === 0 ? AGENCY : SUPER })),
      [1],
      [2],
    ),
    neverMeets('another method', [ask('/me', { method: 'HEAD', accept: null })]),
  ],
  unauthenticated: [
    does(
      'no token, an unknown one, a disabled one, and one that is for another address',
      [
        ask('/me', { token: null }),
        ask('/users', { token: null }),
        ask('/projects', { token: 'x' }),
        ask('/projects', { token: DISABLED }),
        ask('/projects', { token: ELSEWHERE }),
      ],
      [1, 3, 4, 5],
    ),
    almost('another token, once the first one was refused', [
      ask('/projects', { token: 'x' }),
      ask('/projects'),
    ]),
    almost('a token that is refused after it was accepted', [
      ask('/projects'),
      ask('/projects', { token: 'x' }),
    ]),
    almost('an accepted token, for what is not there', [ask('/projects/99')]),
    neverMeets('a 401 of a fault', [
      ({ sandbox }) => sandbox.faults.add({ kind: 'status', status: 401 }),
      ask('/me'),
    ]),
    neverMeets('a token in the query, which is another mistake', [
      ask(`/me?token=${AGENCY}`, { token: null }),
      ask(`/me?k=${AGENCY}`, { token: null }),
    ]),
    neverMeets('an unknown path', [ask('/nowhere', { token: null })]),
  ],
  'token-in-url': [
    does('a token by its name', ask('/me?api_token=secret'), [1]),
    does('a token by its value', ask(`/me?k=${SUPER}`), [1]),
    almost('a parameter that is none', ask('/projects?search=token')),
    neverMeets('nothing but an empty header', (client) =>
      client.sandbox.fetch('/api/v1/me', { headers: { Accept: 'application/json' } }),
    ),
    ...['token', 'KEY', 'access_token', 'auth-key', 'bearerToken', 'authorization', 'apikey'].map(
      (name) => does(`a parameter ${name}`, [ask(`/me?${name}=x`)], [1]),
    ),
    ...['tokens', 'monkey', 'key_id', 'my_token', 'authorizations'].map((name) =>
      almost(`a parameter ${name}`, [ask(`/me?${name}=x`)]),
    ),
    almost('a token without a value', [ask('/me?token=')]),
    does('a token behind other parameters', [ask('/me?a=b&token=x')], [1]),
  ],
  'token-in-browser': [
    does('a page', ask('/me', { pageOrigin: 'https://app.example' }), [1]),
    almost('a server', ask('/me')),
    neverMeets('a page without a token', (client) =>
      client.sandbox.fetch('/api/v1/me', { headers: { Origin: 'https://app.example' } }),
    ),
  ],
}

describe.each(CHECK_IDS)('%s', (id) => {
  test.each(CASES[id])('$expected.0: $title', async ({ act, expected }) => {
    const client = await Client.start()
    await play(client, act)
    const review = client.sandbox.review()
    expect(resultOf(review, id)).toEqual(expected)
  })
})

/** Histories with one finding each, and its message; several for a check with several phrasings. */
const MESSAGES: [id: CheckId, history: History, message: string][] = [
  [
    'retry-after',
    [fail(429, 1, 30), ask('/me'), wait(29_000), ask('/me')],
    'Request 3 repeats request 2 after 29 s; its response asked for 30 s.',
  ],
  [
    'retry-after',
    [fail(429, 1, 30), ask('/me', { tookMs: 500 }), setBack(2000), ask('/me')],
    'Request 3 repeats request 2 after 0 s; its response asked for 30 s.',
  ],
  [
    'backoff',
    [fail(500, 3), times(3, () => [ask('/me'), wait(2000)])],
    '3 attempts for the same URL, from request 2 on, came with pauses of 2000 ms.',
  ],
  [
    'backoff',
    [fail(500, 4), [3000, 2000, 3010, 0].map((ms) => [ask('/me'), wait(ms)])],
    '4 attempts for the same URL, from request 2 on, came with pauses of 3000 ms and then at most 3010 ms.',
  ],
  [
    'retry-unauthorised',
    times(2, () => ask('/me', { token: 'x' })),
    'Request 2 repeats request 1, which was refused with 401.',
  ],
  [
    'retry-unauthorised',
    limited(11, { token: 'x', on: () => 1 }),
    'Requests 2, 3, 4, 5, 6, 7, 8, 9, 10 ask for other URLs after request 1 was refused with 401.',
  ],
  [
    'token-told-to-wait',
    limited(16, { on: () => 1 }),
    'After request 6 was told to wait 55 s, its token went on with requests 7, 8, 9, 10, 11, 12, 13, 14, 15 for other URLs.',
  ],
  [
    'token-told-to-wait',
    [limited(6), ask(`${another(5)}/`, { token: LIMITED })],
    'Request 7 repeats request 6 in another form before its wait was over.',
  ],
  [
    'missing-after-error',
    [fail(429), ask('/projects/1'), wait(60_000), ask('/me')],
    'Request 2 asked for GET /projects/{project}, which failed with 429, and the client never read it afterwards.',
  ],
  [
    'missing-after-error',
    [fail(503), ask('/projects?page=2')],
    'Request 2 asked for GET /projects, which failed with 503, and the client never read it afterwards.',
  ],
  [
    'missing-after-error',
    [broken('reset'), ask(REPORTS)],
    'Request 2 asked for GET /projects/{project}/reports, which got no response, and the client never read it afterwards.',
  ],
  [
    'missing-after-error',
    [broken('malformed-json'), ask('/projects/1')],
    'Request 2 asked for GET /projects/{project}, which came with a broken body, and the client never read it afterwards.',
  ],
  [
    'unfinished-content',
    [ask(`${REPORTS}/2/content`)],
    'Request 1 reads the content of report 2 of project 1, which is running and was never seen completed.',
  ],
  [
    'poll-latest',
    times(3, () => [ask(LATEST), wait(70_000)]),
    'Requests 1, 2, 3 poll latest of project 1 for the completion of its report.',
  ],
  [
    'report-number-range',
    [ask(`${REPORTS}/0/content`)],
    'Request 1 asks project 1 for a report number outside 1 to 26.',
  ],
  [
    'next-link',
    [ask('/projects?per_page=2')],
    'Request 1 has a link to page 2, which was never requested.',
  ],
  [
    'hand-made-pages',
    [ask('/projects?per_page=2'), ask('/projects?page=2')],
    'Request 2 asks for page 2 with parameters other than those of request 1, whose links.next leads there.',
  ],
  [
    'unknown-parameter',
    [ask('/users?sort=name')],
    'Request 1 sends the parameter "sort", which GET /users does not have.',
  ],
  [
    'agency-filter-scoped',
    [ask('/projects?agency_id=1')],
    'Request 1 filters by agency_id, with the token of an agency.',
  ],
  ['doubled-prefix', [ask('/api/v1/me')], 'Request 1 has the path prefix /api/v1 twice.'],
  ...(['countries', 'languages', 'users'] as const).map((list): (typeof MESSAGES)[number] => [
    'one-by-one',
    times(5, (index) => ask(`/${list}/${index + 1}`)),
    `Requests 1, 2, 3, 4, 5 read one by one the records that GET /${list} lists.`,
  ]),
  [
    'retry-missing',
    times(5, () => ask('/users/99')),
    'Requests 1, 2, 3, 4, 5 ask GET /users/{user} for the same record, which does not exist.',
  ],
  [
    'probing',
    times(10, (index) => ask(`/users/${index + 90}`)),
    'Requests 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 try ids or numbers that do not exist, at GET /users/{user}.',
  ],
  [
    'unknown-path',
    [ask('/me'), ask('/project/7/keyword')],
    'Request 2 is for "/api/v1/project/7/keyword", which is not a path of the API. The nearest is GET /projects/{project}/keywords.',
  ],
  [
    'unknown-path',
    [elsewhere('/v1/me'), elsewhere('/v1/projects')],
    'No request is for a path of the API, such as "/v1/me" of request 1: its base URL is http://localhost/api/v1.',
  ],
  [
    'unauthenticated',
    [
      ask('/me', { token: null }),
      ({ sandbox }) => sandbox.fetch('/api/v1/me', { headers: { Authorization: AGENCY } }),
      ask('/me', { token: 'x' }),
      ask('/projects', { token: DISABLED }),
      ask('/projects', { token: ELSEWHERE }),
      ({ sandbox }) => sandbox.fetch('/api/v1/me', { headers: { 'X-API-Key': AGENCY } }),
    ],
    'No request was accepted: request 1 has no Authorization header, request 2 has an Authorization header without Bearer, request 3 has an unknown token, request 4 has a disabled token, request 5 has a token that is not allowed from its address, request 6 has x-api-key instead of an Authorization header.',
  ],
  [
    'retry-after',
    [unavailable({ date_in: 120 }), ask('/projects'), wait(1500), ask('/projects')],
    'Request 3 repeats request 2 118.5 s before the date in the Retry-After of its response.',
  ],
  [
    'repeated-read',
    times(12, () => ask('/me')),
    '12 of 12 requests read data that hardly ever changes, from request 1 on.',
  ],
  [
    'repeated-read',
    [ask('/projects'), wait(12_500), ask('/projects')],
    'Request 2 reads the same as request 1, 12.5 s later.',
  ],
  [
    'hour-budget',
    times(13, () => [ask('/me', { token: LIMITED }), wait(61_000)]),
    'Request 13 is refused by the hourly limit, after 12 requests in that hour.',
  ],
  [
    'json-accept',
    [ask('/me', { accept: '*/*' })],
    'Request 1 accepts any type, so the service may send it errors as HTML.',
  ],
  ['json-accept', [ask('/me', { accept: null })], 'Request 1 has no Accept header.'],
  ['token-in-url', [ask('/me?token=x')], 'Request 1 sends a token as a query parameter.'],
  [
    'token-in-browser',
    [ask('/me', { pageOrigin: 'https://app.example' })],
    'Request 1 sends a token from a page, with an Origin header.',
  ],
]

test.each(MESSAGES)('%s says what the client did: %3$s', async (id, history, message) => {
  const { checks } = await reviewOfHistory(history, COUNTRIES_AND_USERS)
  const { findings } = checks.find((check) => check.id === id)!
  expect(findings.map((finding) => finding.message)).toEqual([message])
})

test.each<[mistake: string, history: History, id: CheckId]>([
  [
    'a page of another size',
    [
      ask('/projects?per_page=3'),
      ask('/projects?page=2&per_page=2'),
      ask('/projects?page=3&per_page=2'),
    ],
    'hand-made-pages',
  ],
  ['a loop around latest', times(20, () => ask(LATEST)), 'poll-latest'],
  ['a token as a parameter of any name', [ask(`/me?k=${AGENCY}`)], 'token-in-url'],
  ['a report number 0', [ask(`${REPORTS}/0/content`)], 'report-number-range'],
  [
    'a report number 0 whose response was a 503',
    [fail(503), ask(`${REPORTS}/0/content`), ask('/me')],
    'report-number-range',
  ],
  [
    'a report number 27 that was to be read later',
    [fail(429, 1, 1), ask(`${REPORTS}/27/content`), wait(2000), ask('/me')],
    'report-number-range',
  ],
])('%s is one mistake', async (_, history, id) => {
  const { checks } = await reviewOfHistory(history)
  expect(checks.filter(({ result }) => result === 'failed').map((check) => check.id)).toEqual([id])
})

const TO_A_DATE = [unavailable({ date_in: 60 }), ask('/me'), ask('/me'), wait(60_000)]
const TO_SECONDS = [unavailable(60), ask('/me'), ask('/me'), wait(60_000)]
const reset: Step = ({ sandbox }) => sandbox.reset()

test.each<[what: string, history: History, severity: string, verdict: string]>([
  ['of a date is a warning', TO_A_DATE, 'warning', 'passed'],
  ['of seconds is an error', TO_SECONDS, 'error', 'failed'],
  ['of both is an error', [TO_A_DATE, TO_SECONDS], 'error', 'failed'],
  ['of a date is a warning in two sessions', [TO_A_DATE, reset, TO_A_DATE], 'warning', 'passed'],
  ['of both in two sessions is an error', [TO_SECONDS, reset, TO_A_DATE], 'error', 'failed'],
])('a disregard %s', async (_, history, severity, verdict) => {
  const client = await Client.start()
  await play(client, history)
  const review = client.sandbox.review({ since: 'start' })
  const check = review.checks.find(({ id }) => id === 'retry-after')
  expect([check?.result, check?.severity, review.verdict]).toEqual(['failed', severity, verdict])
})

test('a list that moves as it is read is not read in vain', async () => {
  const report = aReport({ id: 1, status: 'running', date_to_create_texts: '2026-03-10' })
  const review = await reviewOfHistory(
    times(2, () => ask(REPORTS)),
    {
      progress: { mode: 'reads', reads: 1 },
      projects: [aProject({ id: 1, reports: [report] })],
    },
  )
  expect(resultOf(review, 'repeated-read')).toEqual(['passed'])
})

test.each(['1.5', '1e1', '05', '+5'])(
  'a link without the invalid page size %s is right as it is',
  async (size) => {
    const review = await reviewOfHistory(
      [dropParameters, ask(`/projects?per_page=${size}`), ask('/projects?page=2')],
      { projects: Array.from({ length: 101 }, (_, id) => aProject({ id: id + 1 })) },
    )
    expect(failedIn(review)).toEqual([])
    expect(resultOf(review, 'next-link')).toEqual(['passed'])
  },
)

test.each(CHECK_IDS)('the mistake of %s is taken for no other', async (id) => {
  const client = await Client.start()
  await play(client, CASES[id][0]!.act)
  const others = failedIn(client.sandbox.review()).filter((failed) => failed !== id)
  expect(others).toEqual([])
})
