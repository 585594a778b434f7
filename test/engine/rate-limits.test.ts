import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput, Sandbox, SandboxOptions } from '../../src/index.ts'
import { transports } from '../support/transports.ts'
import { AGENCY, aProject, aToken, aWorld } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

/** The machine's time at the start of every test: 29.75 s before the next minute of the clock. */
const START_MS = Date.parse('2026-03-15T12:00:30.250Z')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS })
})
afterEach(() => {
  vi.useRealTimers()
})

type TokenChanges = Partial<Parameters<typeof aToken>[0]>

interface RequestOptions {
  path?: string
  token?: string | null
  method?: string
  clientIp?: string
}

/** What a response says about the rate limit; a field is undefined if its header is absent. */
interface Result {
  status: number
  limit: number | undefined
  remaining: number | undefined
  retryAfter: number | undefined
  /** Unix time in seconds. */
  reset: number | undefined
  dateMs: number
  body: any
}

describe('the headers', () => {
  const KINDS: [string, number, RequestOptions, TokenChanges?][] = [
    ['a 200', 200, {}],
    ['a 200 to HEAD', 200, { method: 'HEAD' }],
    ['a 400 for an unknown parameter', 400, { path: '/projects?colour=red' }],
    ['a 400 for a report number', 400, { path: '/projects/1/reports/27/content' }],
    ['a 401 for a disabled token', 401, { path: '/users' }, { status: 'disabled' }],
    ['a 403 for the address', 403, { clientIp: '198.51.100.1' }, { allowed_ips: ['203.0.113.9'] }],
    ['a 403 for agency_id', 403, { path: '/projects?agency_id=1' }],
    ['a 404 of a route', 404, { path: '/nowhere' }],
    ['a 404 of a resource', 404, { path: '/projects/999' }],
    ['a 405', 405, { method: 'DELETE' }],
  ]

  test.each(KINDS)(
    '8 T13 G-023 %s has Limit and Remaining, and no reset headers',
    async (_, status, request, token) => {
      const sandbox = await openLimited({ rate_limit: { per_minute: 7 }, ...token })
      const answer = await send(sandbox, request)
      expect(answer).toMatchObject({ status, limit: 7, retryAfter: undefined, reset: undefined })
      expect([6, 7]).toContain(answer.remaining)
    },
  )

  test.each([
    ['no token', { token: null }, 401],
    ['an unknown token', { token: 'nobody' }, 401],
    ['no token on an unknown route', { token: null, path: '/nowhere' }, 404],
    ['no token and another method', { token: null, method: 'POST' }, 405],
  ])('8 G-023 with %s the headers show the default limit', async (_, request, status) => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 7 } })
    expect(await send(sandbox, request)).toMatchObject({ status, limit: 60, remaining: 60 })
  })

  test('8 G-023 a rejection before the limit check shows the current figures', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 7 } })
    await sendTimes(3, sandbox)
    expect(await send(sandbox, { path: '/nowhere' })).toMatchObject({ limit: 7, remaining: 4 })
    expect(await send(sandbox, { method: 'POST' })).toMatchObject({ limit: 7, remaining: 4 })
  })

  test('8 T13 a 429 has Limit, Remaining, Retry-After and Reset', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 1 } })
    await send(sandbox)
    expect(await send(sandbox)).toMatchObject({
      status: 429,
      limit: 1,
      remaining: 0,
      retryAfter: 60,
      reset: Math.ceil((START_MS + 60_000) / 1000),
    })
  })

  test.each(['minute', 'hour'] as const)(
    "7 G-031 the body of the %s's 429 is an error with a constant code and message",
    async (spent) => {
      const sandbox = await openLimited({ rate_limit: {}, spent })
      const message = expect.stringMatching(/^.{1,60}slow down\.$/)
      const first = await send(sandbox)
      expect(first.body).toEqual({ error: { code: 'rate_limit_exceeded', message } })
      await sandbox.clock.advance(10_000)
      expect((await send(sandbox, { path: '/projects' })).body).toEqual(first.body)
    },
  )
})

describe('the two windows', () => {
  test('8 by default 60 requests a minute pass, Remaining counting down to 0, then 429', async () => {
    const sandbox = await openLimited({ rate_limit: {} })
    const passed = await sendTimes(60, sandbox)
    expect(passed.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200))
    expect(passed.map(({ remaining }) => remaining)).toEqual(
      Array.from({ length: 60 }, (_, index) => 59 - index),
    )
    expect((await send(sandbox)).status).toBe(429)
  })

  test.each(transports)(
    '8 T26 of 61 requests at once over $name exactly 60 pass',
    async ({ open }) => {
      await using client = await open({ fixtures: limitedWorld({ rate_limit: {} }) })
      const burst = Array.from({ length: 61 }, () => client.send({ path: '/me', token: AGENCY }))
      const answers = await Promise.all(burst)
      const passed = answers.filter(({ status }) => status === 200)
      const remaining = passed.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
      expect(remaining.toSorted((one, other) => one - other)).toEqual([...Array(60).keys()])
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
    },
  )

  test('8 both windows apply at once: the hour rejects what the minute would accept', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 2, per_hour: 5 } })
    const minutes: number[][] = []
    for (const _ of [1, 2, 3]) {
      minutes.push((await sendTimes(3, sandbox)).map(({ status }) => status))
      await sandbox.clock.advance(60_000)
    }
    expect(minutes).toEqual([
      [200, 200, 429],
      [200, 200, 429],
      [200, 429, 429],
    ])
  })

  test("8 T11 the hour's 429 shows the minute's figures and the hour's reset", async () => {
    const sandbox = await openLimited({ rate_limit: { per_hour: 3 } })
    await sendTimes(3, sandbox)
    await sandbox.clock.advance(20_000)
    expect(await send(sandbox)).toMatchObject({
      status: 429,
      limit: 60,
      remaining: 57,
      retryAfter: 3580,
      reset: Math.ceil((START_MS + 3_600_000) / 1000),
    })
  })

  test("8 T11 G-028 the hour's 429 shows the full minute when no minute window is open", async () => {
    const sandbox = await openLimited({ rate_limit: { per_hour: 3 } })
    await sendTimes(3, sandbox)
    await sandbox.clock.advance(60_000)
    const answer = await send(sandbox)
    expect(answer).toMatchObject({ status: 429, limit: 60, remaining: 60, retryAfter: 3540 })
  })

  test('8 T12 at one request a second the hour is exhausted after 1,000 s, and Retry-After is 2,600', async () => {
    const sandbox = await openLimited({ rate_limit: {} })
    const statuses = new Set<number>()
    for (let second = 0; second < 1000; second += 1) {
      vi.setSystemTime(START_MS + second * 1000)
      statuses.add((await send(sandbox)).status)
    }
    vi.setSystemTime(START_MS + 1_000_000)
    expect([...statuses]).toEqual([200])
    expect(await send(sandbox)).toMatchObject({ status: 429, remaining: 20, retryAfter: 2600 })
  })

  test('8 G-026 when both are exhausted, the later reset is shown', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 2, per_hour: 2 } })
    await sendTimes(2, sandbox)
    expect(await send(sandbox)).toMatchObject({ status: 429, remaining: 0, retryAfter: 3600 })
  })

  test('8 G-026 the later reset can be that of the minute', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 1, per_hour: 2 } })
    await send(sandbox)
    await sandbox.clock.advance(3_580_000)
    await send(sandbox)
    expect(await send(sandbox)).toMatchObject({ status: 429, remaining: 0, retryAfter: 60 })
  })

  test.each([
    ['minute', { per_minute: 2 }, 60_000],
    ['hour', { per_hour: 2 }, 3_600_000],
  ])("8 G-019 the %s's window starts with its first request", async (_, rate_limit, lengthMs) => {
    const sandbox = await openLimited({ rate_limit })
    const statuses: number[] = []
    for (const waitMs of [12_345, 30_000, 1, lengthMs - 30_002, 1, 0, 0]) {
      await sandbox.clock.advance(waitMs)
      statuses.push((await send(sandbox)).status)
    }
    expect(statuses).toEqual([200, 200, 429, 429, 200, 200, 429])
  })

  test('8 advancing by a minute restores the minute but not the hour', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 2, per_hour: 3 } })
    await sendTimes(3, sandbox)
    await sandbox.clock.advance(60_000)
    expect(await send(sandbox)).toMatchObject({ status: 200, remaining: 1 })
    await sandbox.clock.advance(60_000)
    expect(await send(sandbox)).toMatchObject({ status: 429, remaining: 2, retryAfter: 3480 })
    await sandbox.clock.advance(3_480_000)
    expect(await send(sandbox)).toMatchObject({ status: 200, remaining: 1 })
  })

  test('8 each token has its own limits', async () => {
    const tokens = ['one', 'other'].map((token, index) =>
      aToken({ id: index + 1, token, rate_limit: { per_minute: 1 } }),
    )
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
    const statuses: number[] = []
    for (const token of ['one', 'one', 'other', 'other']) {
      statuses.push((await send(sandbox, { token })).status)
    }
    expect(statuses).toEqual([200, 429, 200, 429])
  })

  test('8 each sandbox has its own limits', async () => {
    const [one, other] = [
      await openLimited({ rate_limit: {} }),
      await openLimited({ rate_limit: {} }),
    ]
    await sendTimes(5, one)
    expect((await send(other)).remaining).toBe(59)
  })
})

describe('counting requests', () => {
  const UNCOUNTED: [string, number, RequestOptions, TokenChanges?][] = [
    ['G-021 a 401 for a disabled token', 401, { path: '/users' }, { status: 'disabled' }],
    ['G-021 a 401 for no token', 401, { token: null }],
    [
      'G-021 a 403 for the address',
      403,
      { clientIp: '198.51.100.1' },
      { allowed_ips: ['127.0.0.1'] },
    ],
    ['G-022 the 404 of a route', 404, { path: '/nowhere' }],
    ['G-022 a 405', 405, { method: 'POST' }],
    ['G-029 OPTIONS', 405, { method: 'OPTIONS' }],
  ]

  test.each(UNCOUNTED)('8 %s does not count', async (_, status, request, token) => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 3, per_hour: 3 }, ...token })
    for (const answer of await sendTimes(5, sandbox, request)) expect(answer.status).toBe(status)
    await sandbox.command({
      type: 'record.patch',
      collection: 'tokens',
      id: 1,
      patch: { status: 'active' },
    })
    const statuses = (await sendTimes(4, sandbox)).map((answer) => answer.status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  const COUNTED: [string, number, RequestOptions][] = [
    ['a 200', 200, {}],
    ['G-022 a 400 for an unknown parameter', 400, { path: '/projects?colour=red' }],
    ['G-022 a 400 for a report number', 400, { path: '/projects/1/reports/27/content' }],
    ['G-022 the 404 of a project', 404, { path: '/projects/999' }],
    ['G-022 the 404 of an id that is not a number', 404, { path: '/projects/abc' }],
    ['G-022 the 404 of /reports/latest', 404, { path: '/projects/1/reports/latest' }],
    ["G-013 the 404 of another agency's project", 404, { path: '/projects/2' }],
    ['G-011 a 403 for agency_id', 403, { path: '/projects?agency_id=1' }],
    ['G-029 HEAD', 200, { method: 'HEAD' }],
    ['G-029 HEAD of an unknown project', 404, { method: 'HEAD', path: '/projects/999' }],
  ]

  test.each(COUNTED)('8 %s counts', async (_, status, request) => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 3 } })
    const answers = await sendTimes(4, sandbox, request)
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status, 429])
    expect(answers.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0])
  })

  test('8 G-020 a rejection by the minute does not count in either window', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 2, per_hour: 4 } })
    const first = (await sendTimes(20, sandbox)).map(({ status }) => status)
    await sandbox.clock.advance(60_000)
    const second = (await sendTimes(3, sandbox)).map(({ status }) => status)
    expect(first.filter((status) => status === 200)).toHaveLength(2)
    expect(second).toEqual([200, 200, 429])
  })

  test('8 G-020 a rejection by the hour does not count in either window', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 3, per_hour: 1 } })
    const remaining = (await sendTimes(20, sandbox)).map((answer) => answer.remaining)
    expect(new Set(remaining)).toEqual(new Set([2]))
  })

  test('8 G-020 rejections do not postpone the reset', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 1 } })
    const waits: (number | undefined)[] = []
    for (const waitMs of [0, 10_000, 20_000, 29_000]) {
      await sandbox.clock.advance(waitMs)
      waits.push((await send(sandbox)).retryAfter)
    }
    await sandbox.clock.advance(1000)
    expect([...waits, (await send(sandbox)).status]).toEqual([undefined, 50, 30, 1, 200])
  })
})

describe('the limits of a token', () => {
  test('8 G-024 an unlimited token always passes, without figures', async () => {
    const sandbox = await openLimited({ rate_limit: 'unlimited' })
    const answers = await sendTimes(1100, sandbox)
    const seen = new Set(
      answers.map(({ status, limit, remaining }) => `${status} ${limit} ${remaining}`),
    )
    expect([...seen]).toEqual(['200 undefined undefined'])
  })

  test('8 G-025 with an unlimited minute the hour still applies', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 'unlimited', per_hour: 100 } })
    const answers = await sendTimes(101, sandbox)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
    const noFigures = { limit: undefined, remaining: undefined }
    expect(answers[99]).toMatchObject({ status: 200, ...noFigures, retryAfter: undefined })
    expect(answers[100]).toMatchObject({ status: 429, ...noFigures, retryAfter: 3600 })
  })

  test('8 G-025 with an unlimited hour the minute still applies', async () => {
    const sandbox = await openLimited({ rate_limit: { per_hour: 'unlimited' } })
    const passed: number[] = []
    for (let minute = 0; minute < 18; minute += 1) {
      const answers = await sendTimes(61, sandbox)
      passed.push(answers.filter(({ status }) => status === 200).length)
      await sandbox.clock.advance(60_000)
    }
    expect(passed).toEqual(Array.from({ length: 18 }, () => 60))
  })

  const LIMITS: [
    string,
    TokenChanges['rate_limit'],
    SandboxOptions['rateLimit'],
    number,
    number,
  ][] = [
    ['its own minute and the default hour', { per_minute: 500 }, undefined, 500, 1000],
    ['its own hour and the default minute', { per_hour: 5 }, undefined, 60, 5],
    ['both its own', { per_minute: 4, per_hour: 5 }, undefined, 4, 5],
    ['neither its own', {}, '3/min,7/h', 3, 7],
    ['its own minute instead of that of the option', { per_minute: 5 }, '3/min,7/h', 5, 7],
    ['its own hour instead of that of the option', { per_hour: 5 }, { per_minute: 3 }, 3, 5],
  ]

  test.each(LIMITS)(
    '8 a token with %s (%j, option %j) has %d a minute and %d an hour',
    async (_, rate_limit = {}, rateLimit, perMinute, perHour) => {
      const options = rateLimit === undefined ? {} : { rateLimit }
      const sandbox = await openLimited({ rate_limit }, options)
      const answers: Result[] = []
      for (let minute = 0; minute < 3; minute += 1) {
        answers.push(...(await sendTimes(perMinute + 1, sandbox)))
        await sandbox.clock.advance(60_000)
      }
      expect(answers[0]).toMatchObject({ limit: perMinute, remaining: perMinute - 1 })
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(perHour)
    },
  )

  test('8 G-023 the option is also the limit that is shown for an unknown token', async () => {
    const sandbox = await openLimited({}, { rateLimit: '3/min' })
    expect(await send(sandbox, { token: null })).toMatchObject({ limit: 3, remaining: 3 })
  })

  const CHANGES: [string, number, TokenChanges['rate_limit'], Partial<Result>][] = [
    ['lowered below what is used', 3, { per_minute: 2 }, { status: 429, limit: 2, remaining: 0 }],
    ['lowered to what is used', 3, { per_minute: 3 }, { status: 429, limit: 3, remaining: 0 }],
    ['lowered above what is used', 3, { per_minute: 4 }, { status: 200, limit: 4, remaining: 0 }],
    ['raised when exhausted', 5, { per_minute: 9 }, { status: 200, limit: 9, remaining: 3 }],
    ['lifted when exhausted', 5, 'unlimited', { status: 200, limit: undefined }],
    ['set for the hour', 3, { per_hour: 3 }, { status: 429, limit: 60, retryAfter: 3600 }],
  ]

  test.each(CHANGES)(
    '8 G-030 a limit that is %s during a window takes effect with the next request',
    async (_, used, rate_limit, expected) => {
      const sandbox = await openLimited({ rate_limit: { per_minute: 5 } })
      await sendTimes(used, sandbox)
      await limitTo(sandbox, rate_limit)
      expect(await send(sandbox)).toMatchObject(expected)
    },
  )

  test('8 G-025 requests made while unlimited do not count against a limit set later', async () => {
    const sandbox = await openLimited({ rate_limit: 'unlimited' })
    await sendTimes(10, sandbox)
    await limitTo(sandbox, { per_minute: 5 })
    expect(await send(sandbox)).toMatchObject({ status: 200, limit: 5, remaining: 4 })
  })
})

describe('spent windows and reset', () => {
  const SPENT: ['minute' | 'hour', Partial<Result>, number][] = [
    ['minute', { status: 429, limit: 60, remaining: 0, retryAfter: 60 }, 60_000],
    ['hour', { status: 429, limit: 60, remaining: 60, retryAfter: 3600 }, 3_600_000],
  ]

  test.each(SPENT)(
    '8 a token whose %s is spent is rejected from the start, until that window ends',
    async (spent, rejected, lengthMs) => {
      const sandbox = await openLimited({ rate_limit: {}, spent })
      expect(await send(sandbox)).toMatchObject(rejected)
      await sandbox.clock.advance(lengthMs - 1)
      expect(await send(sandbox)).toMatchObject({ status: 429, retryAfter: 1 })
      await sandbox.clock.advance(1)
      expect(await send(sandbox)).toMatchObject({ status: 200, remaining: 59 })
    },
  )

  test.each(SPENT)('8 a %s is spent again after a reset', async (spent, rejected, lengthMs) => {
    const sandbox = await openLimited({ rate_limit: {}, spent })
    await sandbox.clock.advance(lengthMs)
    expect((await send(sandbox)).status).toBe(200)
    await sandbox.reset()
    expect(await send(sandbox)).toMatchObject(rejected)
  })

  test('8 a spent minute does not use the hour', async () => {
    const sandbox = await openLimited({ rate_limit: { per_hour: 2 }, spent: 'minute' })
    await sandbox.clock.advance(60_000)
    const answers = await sendTimes(3, sandbox)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.retryAfter).toBe(3600)
  })

  test.each([
    ['minute', { per_minute: 2 }],
    ['hour', { per_hour: 2 }],
  ] as const)("8 a spent %s has as many requests as the token's own limit", async (spent, own) => {
    const sandbox = await openLimited({ rate_limit: own, spent })
    await limitTo(sandbox, { per_minute: 3, per_hour: 3 })
    const statuses = (await sendTimes(2, sandbox)).map(({ status }) => status)
    expect(statuses).toEqual([200, 429])
  })

  test('8 spent has no effect on a window that the option makes unlimited', async () => {
    const sandbox = await openLimited({ rate_limit: {}, spent: 'hour' }, { rateLimit: 'unlimited' })
    expect(await send(sandbox)).toMatchObject({ status: 200, limit: undefined })
  })

  test('8 a reset restores both budgets', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 2, per_hour: 2 } })
    expect((await sendTimes(3, sandbox)).at(-1)?.status).toBe(429)
    await sandbox.reset()
    const statuses = (await sendTimes(3, sandbox)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 429])
  })

  test('8 a reset restores a limit that was changed', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 5 } })
    await limitTo(sandbox, { per_minute: 1 })
    await sandbox.reset()
    expect(await send(sandbox)).toMatchObject({ limit: 5, remaining: 4 })
  })

  test('8 a reset undoes advanced time', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 1 } })
    await sandbox.clock.advance('P1D')
    await sandbox.reset()
    expect((await send(sandbox)).dateMs).toBe(wholeSecond(START_MS))
  })
})

describe('the rate clock', () => {
  const WORLDS: [string, Partial<FixtureInput>, SandboxOptions][] = [
    ['of the fixture', { now: '2031-07-01T00:00:00Z' }, {}],
    ['of the fixture, in the past', { now: '2019-01-31T23:59:59Z', frozen: true }, {}],
    ['of the options', {}, { now: '2031-07-01T00:00:00Z', frozen: false }],
  ]

  test.each(WORLDS)(
    '8 T21 Date and Reset follow the machine when the now %s is in another month',
    async (_, changes, options) => {
      const fixtures = limitedWorld({ rate_limit: { per_minute: 1 } }, changes)
      const sandbox = await createSandbox({ fixtures, ...options })
      const first = await send(sandbox, { path: '/projects' })
      const year = changes.now?.slice(0, 4) ?? '2031'
      expect(first.body.cache_refreshed_at.slice(0, 4)).toBe(year)
      expect(first.dateMs).toBe(wholeSecond(START_MS))
      expect(await send(sandbox)).toMatchObject({
        status: 429,
        dateMs: wholeSecond(START_MS),
        retryAfter: 60,
        reset: Math.ceil((START_MS + 60_000) / 1000),
      })
    },
  )

  test.each(['2031-07-01', '2019-01-01', 'month+1/01'])(
    '8 T21 setting the world clock to %s during a window does not change the window',
    async (now) => {
      const sandbox = await openLimited({ rate_limit: { per_minute: 2 } })
      await sendTimes(2, sandbox)
      await sandbox.clock.set(now)
      expect(await send(sandbox)).toMatchObject({ status: 429, retryAfter: 60 })
    },
  )

  test('8 windows continue with the machine while the world is frozen', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 1 } })
    await send(sandbox)
    vi.setSystemTime(START_MS + 59_999)
    expect((await send(sandbox)).status).toBe(429)
    vi.setSystemTime(START_MS + 60_000)
    const passed = await send(sandbox, { path: '/projects' })
    expect(passed.status).toBe(200)
    expect(passed.body.cache_refreshed_at).toBe('2026-03-15T12:00:00.000000Z')
  })

  test('8 T21 Date and Reset move with advanced time', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 1 } })
    await sandbox.clock.advance('PT2H')
    await send(sandbox)
    expect(await send(sandbox)).toMatchObject({
      dateMs: wholeSecond(START_MS + 7_200_000),
      reset: Math.ceil((START_MS + 7_260_000) / 1000),
    })
  })

  test.each([0, 1, 249, 250, 500, 750, 999])(
    '8 G-027 Retry-After and Reset are rounded up, %d ms past a second',
    async (phaseMs) => {
      const startMs = wholeSecond(START_MS) + phaseMs
      vi.setSystemTime(startMs)
      const sandbox = await openLimited({ rate_limit: { per_minute: 1 } })
      await send(sandbox)
      for (const elapsedMs of [1, 250, 999, 1000, 58_999, 59_000, 59_001, 59_999]) {
        vi.setSystemTime(startMs + elapsedMs)
        const leftMs = 60_000 - elapsedMs
        expect(await send(sandbox)).toMatchObject({
          retryAfter: Math.ceil(leftMs / 1000),
          reset: Math.ceil((startMs + 60_000) / 1000),
        })
      }
    },
  )
})

/** How long clients wait: not at all, around the ends of both windows, or any time. */
const waitMs = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 40_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(1, 59_999, 60_000, 60_001, 3_599_999, 3_600_000) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 4_000_000 }) },
)

/**
 * A client: its limits, the offset of its start within a second, and the wait before each request.
 */
const client = fc.record({
  per_minute: fc.integer({ min: 1, max: 5 }),
  per_hour: fc.integer({ min: 1, max: 12 }),
  phaseMs: fc.integer({ min: 0, max: 999 }),
  waits: fc.array(waitMs, { minLength: 1, maxLength: 40 }),
})

describe('any sequence of waits and requests', () => {
  const RULES: [
    string,
    (passed: number[], nowMs: number, lengthMs: number, limit: number) => Use,
  ][] = [
    ['fixed', useOfFixedWindow],
    ['sliding', useOfSlidingWindow],
  ]

  test.each(RULES)('8 G-019 follows the rule of %s windows', async (rule, useOf) => {
    await fc.assert(
      fc.asyncProperty(client, async ({ per_minute, per_hour, phaseMs, waits }) => {
        const startMs = wholeSecond(START_MS) + phaseMs
        vi.setSystemTime(startMs)
        const limits = { per_minute, per_hour }
        const policies = { 'rate-window': rule }
        const sandbox = await openLimited({ rate_limit: limits }, { policies })
        const passed: number[] = []
        let nowMs = startMs
        for (const ms of waits) {
          nowMs += ms
          await sandbox.clock.advance(ms)
          const { status, limit, remaining, retryAfter, reset } = await send(sandbox)
          const expected = predict(passed, nowMs, limits, useOf)
          expect({ status, limit, remaining, retryAfter, reset }).toEqual(expected)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test.each(['fixed', 'clock-aligned', 'sliding', 'bucket'])(
    '8 G-027 a client that waits for Retry-After or Reset passes next, with %s windows',
    async (rule) => {
      await fc.assert(
        fc.asyncProperty(client, fc.boolean(), async (each, obeysReset) => {
          const { per_minute, per_hour, phaseMs, waits } = each
          vi.setSystemTime(wholeSecond(START_MS) + phaseMs)
          const rate_limit = { per_minute, per_hour }
          const sandbox = await openLimited({ rate_limit }, { policies: { 'rate-window': rule } })
          // One request more than a minute accepts comes last, so that every run has a refusal.
          for (const ms of [...waits, ...Array<number>(per_minute + 1).fill(0)]) {
            await sandbox.clock.advance(ms)
            const { status, retryAfter = 0, reset = 0 } = await send(sandbox)
            if (status === 200) continue
            const untilResetMs = reset * 1000 - Date.parse(sandbox.clock.read().rate_clock)
            await sandbox.clock.advance(obeysReset ? untilResetMs : retryAfter * 1000)
            expect((await send(sandbox)).status).toBe(200)
          }
        }),
        { numRuns: runs(60) },
      )
    },
  )
})

describe('GET /_sandbox/rate-limits', () => {
  const uses = fc.record({
    per_minute: fc.integer({ min: 1, max: 5 }),
    per_hour: fc.integer({ min: 3, max: 9 }),
    waits: fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 2, maxLength: 9 }),
  })
  const millisecondsOf = (at: string | null) => Date.parse(at ?? '')

  test.each(['fixed', 'clock-aligned', 'sliding', 'bucket'])(
    '8 tells what the next request meets, and to the millisecond until when, with %s windows',
    async (rule) => {
      await fc.assert(
        fc.asyncProperty(uses, async ({ per_minute, per_hour, waits }) => {
          vi.setSystemTime(START_MS)
          const rate_limit = { per_minute, per_hour }
          const sandbox = await openLimited({ rate_limit }, { policies: { 'rate-window': rule } })
          const gauges = () => {
            const { tokens } = sandbox.world.rateLimits
            return { minute: tokens[0]?.minute, hour: tokens[0]?.hour }
          }
          for (const ms of waits) {
            vi.setSystemTime(Date.now() + ms)
            const before = gauges()
            expect(gauges()).toEqual(before)
            const isOpen = before.minute?.remaining !== 0 && before.hour?.remaining !== 0
            expect((await send(sandbox)).status).toBe(isOpen ? 200 : 429)
          }
          for (const name of ['minute', 'hour'] as const) {
            const { resets_at = null, refilled_at = null, limit } = gauges()[name] ?? {}
            for (const [at, isThere] of [
              [resets_at, () => gauges()[name]?.resets_at === null],
              [refilled_at, () => gauges()[name]?.remaining === limit],
            ] as const) {
              if (at === null) continue
              vi.setSystemTime(millisecondsOf(at) - 1)
              expect(isThere()).toBe(false)
              vi.setSystemTime(millisecondsOf(at))
              expect(isThere()).toBe(true)
            }
          }
        }),
        { numRuns: runs(60) },
      )
    },
  )

  test('shows every token by its name, and null for a window without a limit', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 'unlimited' } })
    await send(sandbox)
    const { rate_clock, rate_window, tokens } = sandbox.world.rateLimits
    expect([rate_clock, rate_window]).toEqual(['2026-03-15T12:00:30.250000Z', 'fixed'])
    expect(tokens).toMatchObject([
      {
        token_id: 1,
        minute: null,
        hour: {
          limit: 1000,
          remaining: 999,
          resets_at: null,
          refilled_at: '2026-03-15T13:00:30.250000Z',
        },
      },
    ])
    expect(JSON.stringify(tokens)).not.toContain(AGENCY)
  })
})

/** The state of a window: the requests in it, and when it accepts the next one once it is full. */
interface Use {
  used: number
  freeAtMs: number
}

/** A fixed window opens with the first request after the one before it has ended. */
function useOfFixedWindow(passed: number[], nowMs: number, lengthMs: number): Use {
  let endsAtMs = -Infinity
  let used = 0
  for (const ms of passed) {
    if (ms >= endsAtMs) {
      endsAtMs = ms + lengthMs
      used = 0
    }
    used += 1
  }
  return nowMs < endsAtMs ? { used, freeAtMs: endsAtMs } : { used: 0, freeAtMs: nowMs }
}

/**
 * A sliding window counts the requests that passed within its length; when it is full, the oldest
 * has to leave.
 */
function useOfSlidingWindow(passed: number[], nowMs: number, lengthMs: number, limit: number): Use {
  const recent = passed.filter((ms) => nowMs - ms < lengthMs)
  const leaving = recent[recent.length - limit] ?? nowMs
  return { used: recent.length, freeAtMs: leaving + lengthMs }
}

/** The expected result by specification 8; adds the request to `passed` if it passes. */
function predict(
  passed: number[],
  nowMs: number,
  { per_minute, per_hour }: { per_minute: number; per_hour: number },
  useOf: (passed: number[], nowMs: number, lengthMs: number, limit: number) => Use,
): Omit<Result, 'dateMs' | 'body'> {
  const minute = useOf(passed, nowMs, 60_000, per_minute)
  const hour = useOf(passed, nowMs, 3_600_000, per_hour)
  const blockedUntil = [
    ...(minute.used >= per_minute ? [minute.freeAtMs] : []),
    ...(hour.used >= per_hour ? [hour.freeAtMs] : []),
  ]
  const limit = per_minute
  if (blockedUntil.length === 0) {
    passed.push(nowMs)
    const remaining = per_minute - minute.used - 1
    return { status: 200, limit, remaining, retryAfter: undefined, reset: undefined }
  }
  const freeAtMs = Math.max(...blockedUntil)
  return {
    status: 429,
    limit,
    remaining: per_minute - minute.used,
    retryAfter: Math.ceil((freeAtMs - nowMs) / 1000),
    reset: Math.ceil(freeAtMs / 1000),
  }
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}

/**
 * A world whose token {@link AGENCY} is limited, with one project of its agency and one of another.
 */
function limitedWorld(token: TokenChanges, changes: Partial<FixtureInput> = {}): FixtureInput {
  return aWorld({
    tokens: [aToken({ id: 1, token: AGENCY, ...token })],
    projects: [aProject({ id: 1 }), aProject({ id: 2, agency: 2 })],
    ...changes,
  })
}

function openLimited(token: TokenChanges, options: SandboxOptions = {}): Promise<Sandbox> {
  return createSandbox({ fixtures: limitedWorld(token), ...options })
}

async function limitTo(sandbox: Sandbox, rate_limit: TokenChanges['rate_limit']): Promise<void> {
  await sandbox.command({
    type: 'record.patch',
    collection: 'tokens',
    id: 1,
    patch: { rate_limit },
  })
}

/** Requests `/me` with the limited token by default; sends no token if it is null. */
async function send(
  sandbox: Sandbox,
  { path = '/me', token = AGENCY, ...init }: RequestOptions = {},
): Promise<Result> {
  const response = await sandbox.fetch(`/api/v1${path}`, {
    ...init,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  })
  const figure = (name: string) => {
    const text = response.headers.get(name)
    return text === null ? undefined : Number(text)
  }
  const text = await response.text()
  return {
    status: response.status,
    limit: figure('x-ratelimit-limit'),
    remaining: figure('x-ratelimit-remaining'),
    retryAfter: figure('retry-after'),
    reset: figure('x-ratelimit-reset'),
    dateMs: Date.parse(response.headers.get('date') ?? ''),
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** Sends that many requests, one after the other. */
async function sendTimes(
  times: number,
  sandbox: Sandbox,
  request: RequestOptions = {},
): Promise<Result[]> {
  const answers: Result[] = []
  for (let index = 0; index < times; index += 1) answers.push(await send(sandbox, request))
  return answers
}
