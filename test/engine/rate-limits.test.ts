import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
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

/** The rate-limit headers of a response; a field is undefined if its header is absent. */
interface Result {
  status: number
  limit: number | undefined
  remaining: number | undefined
  retryAfter: number | undefined
  /** Unix time in seconds. */
  reset: number | undefined
}

describe('the two windows', () => {
  test('8 G-026 the later reset can be that of the minute', async () => {
    const sandbox = await openLimited({ rate_limit: { per_minute: 1, per_hour: 2 } })
    await send(sandbox)
    await sandbox.clock.advance(3_580_000)
    await send(sandbox)
    expect(await send(sandbox)).toMatchObject({ status: 429, remaining: 0, retryAfter: 60 })
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
})

describe('the limits of a token', () => {
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
})

describe('the rate clock', () => {
  test.each(['2031-07-01', '2019-01-01', 'month+1/01'])(
    '8 T21 setting the world clock to %s during a window does not change the window',
    async (now) => {
      const sandbox = await openLimited({ rate_limit: { per_minute: 2 } })
      await sendTimes(2, sandbox)
      await sandbox.clock.set(now)
      expect(await send(sandbox)).toMatchObject({ status: 429, retryAfter: 60 })
    },
  )
})

/** Waits of clients: none, around the ends of both windows, or any time. */
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

/** A fixed window opens with the first request after the end of the previous window. */
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
): Result {
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
function openLimited(token: TokenChanges, options: SandboxOptions = {}): Promise<Sandbox> {
  const fixtures = aWorld({
    tokens: [aToken({ id: 1, token: AGENCY, ...token })],
    projects: [aProject({ id: 1 }), aProject({ id: 2, agency: 2 })],
  })
  return createSandbox({ fixtures, ...options })
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
  return {
    status: response.status,
    limit: figure('x-ratelimit-limit'),
    remaining: figure('x-ratelimit-remaining'),
    retryAfter: figure('retry-after'),
    reset: figure('x-ratelimit-reset'),
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
