import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { OperationId } from '../../src/contract/routes.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import type { ProblemCode } from '../../src/contract/problems.ts'
import { formatProblems } from '../../src/contract/validation.ts'
import { validate } from '../../src/contract/validate.ts'
import { applyFaults, Faults } from '../../src/world/faults/faults.ts'
import type { FaultTarget } from '../../src/world/faults/faults.ts'
import { ArmedFault, Fault, resolveFault } from '../../src/world/faults/fault.ts'
import { withKind } from '../../src/world/faults/with-kind.ts'
import { SavedFaults } from '../../src/world/faults/fault-status.ts'
import type { ApiResponse } from '../../src/engine/messages.ts'
import { createSandbox } from '../../src/index.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

type FaultInput = z.input<typeof Fault>
type Schedule = NonNullable<ArmedFault['schedule']>

const NOON = Date.parse('2026-03-15T12:00:00Z')

const { world } = await createSandbox({
  fixtures: aWorld({
    tokens: [
      aToken({ id: 1, token: AGENCY, name: 'Test suite' }),
      aToken({ id: 2, token: 'first-twin', name: 'Twin' }),
      aToken({ id: 3, token: 'second-twin', name: 'Twin' }),
    ],
  }),
})

/** A fault as armed at noon on 15 March 2026, or the reason for refusing it. */
function arm(input: unknown): ArmedFault | string {
  const checked = validate(Fault, input)
  const armed =
    'problems' in checked
      ? checked
      : resolveFault(checked.value, { records: world.records, nowMs: NOON })
  return 'problems' in armed ? formatProblems(armed.problems) : armed.value
}

describe('arming', () => {
  test.each(Object.entries(OPERATIONS))(
    'accepts the endpoint %s by its id, its path, and its method and path',
    (id, { path }) => {
      const forms = [id, path, `GET ${path}`, `get ${path}`, `GET /api/v1${path}`]
      const endpoints = forms.map((endpoint) => arm({ kind: 'reset', endpoint }))
      const canonical = { kind: 'reset', endpoint: `GET ${path}` }
      expect(endpoints).toEqual(forms.map(() => canonical))
    },
  )

  test.each<[string, string | number]>([
    ['id', 1],
    ['name', 'Test suite'],
    ['bearer value', AGENCY],
  ])('accepts a token by its %s, and keeps only its id', (_, token) => {
    expect(arm({ kind: 'reset', token })).toEqual({ kind: 'reset', token: 1 })
  })

  test('resolves times against the world clock, and keeps them absolute', () => {
    expect(arm({ kind: 'reset', schedule: { from: 'now+1h', until: '2026-04-01' } })).toEqual({
      kind: 'reset',
      schedule: { from: '2026-03-15T13:00:00.000000Z', until: '2026-04-01T00:00:00.000000Z' },
    })
  })

  test('an armed fault can be armed again, unchanged', () => {
    const full = {
      kind: 'status',
      status: 503,
      retry_after: 30,
      endpoint: '/projects/{project}',
      token: AGENCY,
      project: 1,
      schedule: { until: 'now+1d' },
    }
    const armed = arm(full)
    expect(arm(armed)).toEqual(armed)
  })

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'A fault has a kind. Use one of: status, html, reset, no-answer,'],
    ['no kind', {}, 'kind: A fault has a kind. Use one of: status,'],
    ['a string', 'reset', 'A fault has a kind.'],
    ['an unknown kind', { kind: 'rest' }, '"rest" is not a kind of fault. Did you mean "reset"?'],
    ['a bare probability', { kind: 'reset', share: 0.5 }, '"share" is not a field here.'],
    [
      'a probability by name',
      { kind: 'reset', probability: 1 },
      '"probability" is not a field here.',
    ],
    [
      'a misspelled field',
      { kind: 'status', status: 503, retry_afer: 1 },
      '"retry_afer" is not a field here. Did you mean "retry_after"?',
    ],
    [
      'an unknown path',
      { kind: 'reset', endpoint: '/project/{project}' },
      'endpoint: "/project/{project}" is not an endpoint. Did you mean "GET /projects/{project}"?',
    ],
    [
      'a path with an id in it',
      { kind: 'reset', endpoint: '/projects/1' },
      'endpoint: "/projects/1" is not an endpoint. Did you mean "GET /projects"?',
    ],
    [
      'an unknown operation',
      { kind: 'reset', endpoint: 'getProjct' },
      'Did you mean "getProject"? Use one of: getMe,',
    ],
    ['another method', { kind: 'reset', endpoint: 'POST /me' }, '"POST /me" is not an endpoint.'],
    ['an unknown token id', { kind: 'reset', token: 9 }, 'token: No token has this id,'],
    [
      'an unknown token name',
      { kind: 'reset', token: 'Test suit' },
      'Did you mean "Test suite"? Use one of: Test suite, Twin.',
    ],
    [
      'a name that two tokens have',
      { kind: 'reset', token: 'Twin' },
      'token: 2 tokens have this name. Write the id: 2 or 3.',
    ],
    ['a token that is a list', { kind: 'reset', token: [1] }, 'token: a list names no token.'],
    ['an unknown project', { kind: 'reset', project: 7 }, 'project: There is no project 7.'],
    [
      'a project for an endpoint without one',
      { kind: 'reset', project: 1, endpoint: '/me' },
      'project: GET /me is not about a single project.',
    ],
    ['a status of success', { kind: 'status', status: 200 }, 'status: 200 is not a status that'],
    ['no status', { kind: 'status' }, 'status: This is required. Use one of: 400, 401,'],
    [
      'Retry-After on another status',
      { kind: 'status', status: 500, retry_after: 1 },
      'retry_after: Retry-After only goes with 429 and 503.',
    ],
    ...[{ date_in: 5 }, 'soon'].map((retry_after): [string, unknown, string] => [
      `a Retry-After of ${JSON.stringify(retry_after)} on a 429`,
      { kind: 'status', status: 429, retry_after },
      'retry_after: The Retry-After of a 429 is in seconds (section 8). Write a whole number from 0 to 86400.',
    ]),
    ...['', ' soon', 'so\nson', 'für', 'x'.repeat(101), true].map(
      (retry_after): [string, unknown, string] => [
        `a Retry-After of ${JSON.stringify(retry_after)}`,
        { kind: 'status', status: 503, retry_after },
        'Write seconds, { date_in: seconds }, an HTTP date, or other text of at most 100 visible ASCII characters.',
      ],
    ),
    [
      'a date in more than a day',
      { kind: 'status', status: 503, retry_after: { date_in: 86_401 } },
      'retry_after.date_in: 86401 is too large. Write at most 86400.',
    ],
    [
      'a fraction of a second',
      { kind: 'status', status: 503, retry_after: 0.5 },
      'retry_after: 0.5 is not a whole number.',
    ],
    ['a latency without a value', { kind: 'latency' }, 'A latency is ms, or chosen at random from'],
    [
      'two latencies',
      { kind: 'latency', ms: 1, max_ms: 2 },
      'A latency is ms, or chosen at random from',
    ],
    ['swapped bounds', { kind: 'latency', min_ms: 2, max_ms: 1 }, 'A latency is ms, or chosen'],
    ['a latency that is too long', { kind: 'latency', ms: 600_001 }, 'ms: 600001 is too large.'],
    ['a negative latency', { kind: 'latency', ms: -1 }, 'ms: -1 is too small.'],
    ['a slow body without a time', { kind: 'slow-body' }, 'ms: This is required'],
    ['an empty schedule', { kind: 'reset', schedule: {} }, 'schedule: A schedule has one form.'],
    [
      'two schedules',
      { kind: 'reset', schedule: { first: 1, nth: 3 } },
      'Use one of: first, every, nth, from and until, share.',
    ],
    [
      'an unknown schedule',
      { kind: 'reset', schedule: { frst: 1 } },
      'schedule.frst: "frst" is not a field here. Did you mean "first"?',
    ],
    ['the 0th', { kind: 'reset', schedule: { nth: 0 } }, 'schedule.nth: 0 is too small.'],
    ['a share of zero', { kind: 'reset', schedule: { share: 0 } }, 'share: 0 is too small.'],
    ['a share in percent', { kind: 'reset', schedule: { share: 50 } }, 'share: 50 is too large.'],
    [
      'an invalid time',
      { kind: 'reset', schedule: { from: 'tomorrow' } },
      'schedule.from: "tomorrow" is not a date and time.',
    ],
    [
      'an end before the start',
      { kind: 'reset', schedule: { from: 'now+2h', until: 'now+1h' } },
      'schedule.until: 2026-03-15T13:00:00.000000Z is not after 2026-03-15T14:00:00.000000Z',
    ],
  ])('refuses %s', (_, input, message) => {
    expect(arm(input)).toContain(message)
  })

  test('does not repeat what was given as a token: it may be a bearer value', () => {
    expect(arm({ kind: 'reset', token: 'second-twim' })).not.toContain('second-twi')
  })
})

const ME: FaultTarget = { operation: 'getMe', project: undefined, token: 1 }

/** Faults on their own clock, stopped at noon. */
function faultsOf(...inputs: z.input<typeof ArmedFault>[]) {
  const clock = { ms: NOON }
  const options = { randomSeed: 'seed', nowMs: () => clock.ms }
  const faults = new Faults(options)
  for (const input of inputs) faults.add(withKind(ArmedFault.parse(input)))
  return { faults, clock, options }
}

/** Sends this many requests to `/me`; returns the numbers, from 1, of those that fail under this schedule. */
function hitsOf(schedule: Schedule, requests: number, randomSeed = 'seed'): number[] {
  const faults = new Faults({ randomSeed, nowMs: () => NOON })
  faults.add(withKind({ kind: 'reset', schedule }))
  return countTo(requests).filter(() => faults.take(ME).length > 0)
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

const requests = fc.integer({ min: 0, max: 60 })
const figure = fc.integer({ min: 1, max: 50 })

describe('a schedule', () => {
  test.each<[string, (n: number) => Schedule, (n: number) => (count: number) => boolean]>([
    ['first: the first N', (n) => ({ first: n }), (n) => (count) => count <= n],
    ['every: every Nth', (n) => ({ every: n }), (n) => (count) => count % n === 0],
    ['nth: only the Nth', (n) => ({ nth: n }), (n) => (count) => count === n],
  ])('%s', (_, toSchedule, isHit) => {
    const property = fc.property(figure, requests, (n, length) => {
      expect(hitsOf(toSchedule(n), length)).toEqual(countTo(length).filter(isHit(n)))
    })
    fc.assert(property)
  })

  test('from and until: from the first to before the second, on the world clock', () => {
    const minutes = fc.integer({ min: -60, max: 60 })
    const property = fc.property(minutes, minutes, minutes, (from, length, now) => {
      const time = (minute: number): string => new Date(NOON + minute * 60_000).toISOString()
      const until = from + Math.abs(length) + 1
      const { faults, clock } = faultsOf({
        kind: 'reset',
        schedule: { from: time(from), until: time(until) },
      })
      clock.ms = NOON + now * 60_000
      expect(faults.take(ME)).toHaveLength(now >= from && now < until ? 1 : 0)
    })
    fc.assert(property)
  })

  test('is absolute where no clock is known that it could be relative to', async () => {
    const fixtures = aWorld()
    const createWith = (from: string) => {
      const latency = { ms: 5, schedule: { from } } as unknown as number
      return createSandbox({ fixtures, latency, now: new Date(NOON), frozen: true })
    }
    const sandbox = await createWith('2026-03-15T13:00:00Z')
    await expect(createWith('now+1h')).rejects.toThrow('latency: a map is not a latency: use mill')
    const snapshot = await sandbox.snapshot()
    expect(snapshot.faults.armed).toHaveLength(1)
    const relative = JSON.parse(
      JSON.stringify(snapshot).replaceAll('2026-03-15T13:00:00Z', 'now+1h'),
    ) as typeof snapshot
    await expect(sandbox.restore(relative)).rejects.toThrow(
      'snapshot.faults.armed[0].fault.schedule.from: "now+1h" is not an absolute date and time.',
    )
    await sandbox.clock.advance('PT59M59S')
    expect(sandbox.faults.list()).toMatchObject([{ fired: 0 }])
    await sandbox.clock.advance('PT1S')
    await sandbox.fetch('/api/v1/me')
    expect(sandbox.faults.list()).toMatchObject([{ fired: 1 }])
  })

  test.each<[Schedule, string, number]>([
    [{ from: '2026-03-15T12:00:00Z' }, '2026-03-15T11:59:59.999Z', 0],
    [{ from: '2026-03-15T12:00:00Z' }, '2026-03-15T12:00:00Z', 1],
    [{ until: '2026-03-15T12:00:00Z' }, '2026-03-15T11:59:59.999Z', 1],
    [{ until: '2026-03-15T12:00:00Z' }, '2026-03-15T12:00:00Z', 0],
  ])('%o at %s fires %i times', (schedule, now, times) => {
    const { faults, clock } = faultsOf({ kind: 'reset', schedule })
    clock.ms = Date.parse(now)
    expect(faults.take(ME)).toHaveLength(times)
  })

  test('share: about that share, and which requests depends on the seed alone', () => {
    const hits = hitsOf({ share: 0.3 }, 2000)
    expect(hits.length).toBeGreaterThan(540)
    expect(hits.length).toBeLessThan(660)
    expect(hitsOf({ share: 0.3 }, 2000)).toEqual(hits)
    expect(hitsOf({ share: 0.3 }, 2000, 'other')).not.toEqual(hits)
    expect(hitsOf({ share: 1 }, 50)).toHaveLength(50)
  })

  test('two faults with the same share hit different requests, independently of each other', () => {
    const { faults } = faultsOf(
      { kind: 'latency', ms: 1, schedule: { share: 0.5 } },
      { kind: 'latency', ms: 2, schedule: { share: 0.5 } },
    )
    const fired = countTo(100).map(() => faults.take(ME).map(({ id }) => id))
    expect(countTo(100).filter((count) => fired[count - 1]?.includes(1))).toEqual(
      hitsOf({ share: 0.5 }, 100),
    )
    expect(new Set(fired.map(String))).toEqual(new Set(['', '1', '2', '1,2']))
  })

  test('that is omitted means every request', () => {
    const { faults } = faultsOf({ kind: 'reset' })
    expect(countTo(9).filter(() => faults.take(ME).length === 1)).toHaveLength(9)
  })
})

describe('a fault applies to', () => {
  const getProject: FaultTarget = { operation: 'getProject', project: 1, token: 2 }
  const unrouted: FaultTarget = { operation: undefined, project: undefined, token: undefined }

  test.each<[string, Omit<z.input<typeof ArmedFault>, 'kind'>, FaultTarget, boolean]>([
    ['any request if it names nothing', {}, unrouted, true],
    ['its endpoint', { endpoint: '/projects/{project}' }, getProject, true],
    ['no other endpoint', { endpoint: '/projects' }, getProject, false],
    ['no unknown path', { endpoint: '/projects' }, unrouted, false],
    ['its token', { token: 2 }, getProject, true],
    ['no other token', { token: 1 }, getProject, false],
    ['no unknown token', { token: 1 }, unrouted, false],
    ['its project', { project: 1 }, getProject, true],
    ['no other project', { project: 2 }, getProject, false],
    ['no request without a project', { project: 1 }, ME, false],
    [
      'a request that matches in every field',
      { endpoint: 'getProject', token: 2, project: 1 },
      getProject,
      true,
    ],
    [
      'no request that differs in one field',
      { endpoint: 'getProject', token: 3, project: 1 },
      getProject,
      false,
    ],
  ])('%s', (_, restriction, target, isMeant) => {
    const { faults } = faultsOf({ kind: 'reset', ...restriction })
    expect(faults.take(target)).toHaveLength(isMeant ? 1 : 0)
    expect(faults.list()).toMatchObject([{ matched: isMeant ? 1 : 0, fired: isMeant ? 1 : 0 }])
  })

  test.each(['GET /me', '/me', 'getMe'])(
    'GET and HEAD of its endpoint %s alone',
    async (endpoint) => {
      const sandbox = await createSandbox()
      await sandbox.faults.add({ kind: 'status', status: 503, endpoint })
      const headers = { authorization: 'Bearer sandbox-agency' }
      const statuses: number[] = []
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
        statuses.push((await sandbox.fetch('/api/v1/me', { method, headers })).status)
      expect(statuses).toEqual([503, 503, 405, 405])
      expect(sandbox.faults.list()).toMatchObject([{ matched: 2, fired: 2 }])
    },
  )

  test('matching requests only: others do not count in its schedule', () => {
    const { faults } = faultsOf({ kind: 'reset', endpoint: 'getMe', schedule: { nth: 2 } })
    const fired = [ME, getProject, unrouted, ME, ME].map((target) => faults.take(target).length)
    expect(fired).toEqual([0, 0, 0, 1, 0])
  })
})

describe('the list', () => {
  test('shows the armed faults, how many requests each matched and how often it fired', () => {
    const { faults } = faultsOf({ kind: 'html', endpoint: 'getMe', schedule: { every: 2 } })
    for (const _ of countTo(5)) faults.take(ME)
    expect(faults.list()).toEqual([
      {
        id: 1,
        kind: 'html',
        status: 502,
        endpoint: 'GET /me',
        schedule: { every: 2 },
        matched: 5,
        fired: 2,
        exhausted: false,
      },
    ])
  })

  test('says that a fault is exhausted exactly when no later request is hit', () => {
    const schedules = fc.oneof(
      fc.record({ first: figure }),
      fc.record({ nth: figure }),
      fc.record({ every: figure }),
    )
    const property = fc.property(schedules, requests, (schedule, length) => {
      const { faults } = faultsOf({ kind: 'reset', schedule })
      for (const _ of countTo(length)) faults.take(ME)
      const [listed] = faults.list()
      const later = countTo(60).some(() => faults.take(ME).length > 0)
      expect(listed?.exhausted).toBe(!later)
    })
    fc.assert(property)
  })

  test('says so once the world clock has passed its end, until the clock is set back', () => {
    const { faults, clock } = faultsOf({
      kind: 'reset',
      schedule: { until: '2026-03-15T13:00:00Z' },
    })
    const isExhausted = (): boolean | undefined => faults.list()[0]?.exhausted
    expect(isExhausted()).toBe(false)
    clock.ms = Date.parse('2026-03-15T13:00:00Z')
    expect(isExhausted()).toBe(true)
    clock.ms = NOON
    expect(isExhausted()).toBe(false)
  })

  test('is a copy: changing it changes no fault', () => {
    const { faults } = faultsOf({ kind: 'reset', schedule: { first: 1 } })
    const [listed] = faults.list()
    Object.assign(listed?.schedule ?? {}, { first: 9 })
    expect(faults.list()).toMatchObject([{ schedule: { first: 1 } }])
  })

  test('grows, shrinks and is replaced, and no id is reused', () => {
    const { faults } = faultsOf({ kind: 'reset' }, { kind: 'no-answer' })
    expect(faults.remove(2)).toMatchObject({ id: 2, kind: 'no-answer' })
    expect(faults.add(withKind({ kind: 'malformed-json' }))).toMatchObject({
      id: 3,
      matched: 0,
      fired: 0,
    })
    expect(faults.replace([withKind({ kind: 'truncated-body' })])).toMatchObject([{ id: 4 }])
    expect(faults.list().map(({ id }) => id)).toEqual([4])
    expect(faults.isEmpty).toBe(false)
    expect(faults.replace([])).toEqual([])
    expect(faults.isEmpty).toBe(true)
  })

  test('refuses to remove a fault that does not exist, and names those that do', () => {
    const { faults } = faultsOf({ kind: 'reset' })
    expect(() => faults.remove(7)).toThrow('There is no fault 7. Use one of: 1.')
    faults.remove(1)
    expect(() => faults.remove(1)).toThrow('There is no fault 1. None is armed.')
  })
})

test('faults that are saved at any point and resumed continue as if never interrupted', () => {
  const schedule = fc.oneof(
    fc.record({ first: figure }),
    fc.record({ every: figure }),
    fc.record({ nth: figure }),
    fc.record({ share: fc.double({ min: 0.1, max: 1, noNaN: true }) }),
  )
  const list = fc.array(schedule, { minLength: 1, maxLength: 4 })
  const property = fc.property(list, requests, (schedules, length) => {
    const inputs = schedules.map(
      (each) => ({ kind: 'latency', max_ms: 1000, schedule: each }) as const,
    )
    const { faults, options } = faultsOf(...inputs)
    for (const _ of countTo(length)) faults.take(ME)
    const saved = SavedFaults.parse(JSON.parse(JSON.stringify(faults.save())))
    const resumed = new Faults(options)
    resumed.restore(saved, withKind)
    const answers = (some: Faults): ApiResponse[] =>
      countTo(20).map(() => applyFaults(some.take(ME), request()))
    expect(answers(resumed)).toEqual(answers(faults))
    expect(resumed.list()).toEqual(faults.list())
    const reset = withKind({ kind: 'reset' })
    expect(resumed.add(reset).id).toBe(faults.add(reset).id)
  })
  fc.assert(property)
})

/** A request to an API that would respond with `{"id":1}`, or refuse with the text of the problem. */
function request(operation: OperationId | undefined = 'getMe') {
  const calls: string[] = []
  const date = 'Sun, 15 Mar 2026 12:00:00 GMT'
  const answer = (status: number, body: string): ApiResponse => ({
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-cache, private',
      Date: date,
      'X-RateLimit-Limit': '60',
    },
    body: new TextEncoder().encode(body),
    caller: 'Test suite',
  })
  return {
    calls,
    operation,
    rateMs: NOON + 1,
    identifiedBy: [],
    answer: () => {
      calls.push('answer')
      return answer(200, '{"id":1}')
    },
    reject: (problem: ProblemCode) => {
      const { status, message } = PROBLEMS[problem]
      return { ...answer(status, message), problem }
    },
  }
}

/** The result of a request when these faults are armed. */
function requestWith(inputs: z.input<typeof ArmedFault>[], operation?: OperationId) {
  const { faults } = faultsOf(...inputs)
  const sent = request(operation)
  const response = applyFaults(faults.take(ME), sent)
  return {
    ...response,
    text: new TextDecoder().decode(response.body),
    calls: sent.calls,
    listed: faults.list(),
  }
}

const anError = fc.constantFrom(400, 401, 403, 404, 405, 408, 422, 429, 500, 502, 503, 504)

describe('a fault in front of the API', () => {
  test.each<FaultInput & z.input<typeof ArmedFault>>([
    { kind: 'status', status: 500 },
    { kind: 'html' },
    { kind: 'reset' },
    { kind: 'no-answer' },
  ])(
    '$kind keeps the request from reaching it: nothing is counted, and no rule of the API applies',
    (fault) => {
      const { calls, caller, problem, listed } = requestWith([fault])
      expect([calls, caller, problem, listed[0]?.fired]).toEqual([[], 'Test suite', undefined, 1])
    },
  )

  test('status is an error of the API with that status and text, and the usual headers', () => {
    const property = fc.property(anError, (status) => {
      const answered = requestWith([{ kind: 'status', status }])
      expect(answered).toMatchObject({
        status,
        headers: { 'Content-Type': 'application/json', 'X-RateLimit-Limit': '60' },
      })
      const texts = Object.values(PROBLEMS).filter((problem) => problem.status === status)
      expect(texts.map(({ message }) => message)).toContain(answered.text)
    })
    fc.assert(property)
  })

  test.each<[number, OperationId | undefined, string]>([
    [404, 'getProject', 'Project not found.'],
    [404, 'getCountry', 'Country not found.'],
    [404, 'getMe', PROBLEMS.route_not_found.message],
    [404, undefined, PROBLEMS.route_not_found.message],
    [403, 'listProjects', PROBLEMS.forbidden.message],
    [400, 'getReportContent', PROBLEMS.invalid_parameter.message],
  ])('a %i of %s says "%s"', (status, operation, text) => {
    expect(requestWith([ArmedFault.parse({ kind: 'status', status })], operation).text).toBe(text)
  })

  test.each<[z.input<typeof ArmedFault>, string | undefined, string | undefined]>([
    [{ kind: 'status', status: 503, retry_after: 30 }, '30', undefined],
    [{ kind: 'status', status: 503, retry_after: 0 }, '0', undefined],
    ...(
      [
        [{ date_in: 120 }, 'Sun, 15 Mar 2026 12:02:00 GMT'],
        [{ date_in: -60 }, 'Sun, 15 Mar 2026 11:59:00 GMT'],
        ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT'],
        ['in a while; ask again', 'in a while; ask again'],
        ['!'.repeat(100), '!'.repeat(100)],
      ] as const
    ).map(
      ([retry_after, header]) =>
        [
          { kind: 'status' as const, status: 503 as const, retry_after },
          header,
          undefined,
        ] satisfies [unknown, string, undefined],
    ),
    [{ kind: 'status', status: 503 }, undefined, undefined],
    [{ kind: 'status', status: 500 }, undefined, undefined],
    [{ kind: 'status', status: 429, retry_after: 30 }, '30', String(NOON / 1000 + 31)],
    [{ kind: 'status', status: 429 }, '1', String(NOON / 1000 + 2)],
  ])('%o has Retry-After %s and X-RateLimit-Reset %s', (fault, retryAfter, reset) => {
    const { headers } = requestWith([fault])
    expect([headers['Retry-After'], headers['X-RateLimit-Reset']]).toEqual([retryAfter, reset])
  })

  test('html is the page of a proxy, without rate-limit headers', () => {
    expect(requestWith([{ kind: 'html' }])).toMatchObject({
      status: 502,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache, private',
        Date: 'Sun, 15 Mar 2026 12:00:00 GMT',
      },
      text: expect.stringContaining('<h1>502 Bad Gateway</h1>'),
    })
    expect(requestWith([{ kind: 'html' }]).headers).not.toHaveProperty('X-RateLimit-Limit')
    expect(requestWith([{ kind: 'html', status: 504 }]).text).toContain('504 Gateway Timeout')
  })

  test.each([
    ['reset', 'reset'],
    ['no-answer', 'silence'],
  ] as const)('%s means that no response arrives', (kind, end) => {
    expect(requestWith([{ kind }])).toMatchObject({
      status: 0,
      headers: {},
      text: '',
      wire: { end },
    })
  })
})

describe('a fault that applies to the response', () => {
  test.each<[z.input<typeof ArmedFault>, object]>([
    [{ kind: 'latency', ms: 250 }, { delayMs: 250 }],
    [{ kind: 'slow-body', ms: 250 }, { bodyMs: 250 }],
    [{ kind: 'truncated-body' }, { end: 'truncated' }],
  ])(
    '%o lets the API respond, and says how the response is affected on the wire',
    (fault, wire) => {
      const { calls, status, text, ...answered } = requestWith([fault])
      expect([calls, status, text]).toEqual([['answer'], 200, '{"id":1}'])
      expect(answered.wire).toEqual(wire)
    },
  )

  test('malformed-json lets the API respond with JSON that cannot be parsed', () => {
    const { calls, status, text } = requestWith([{ kind: 'malformed-json' }])
    expect([calls, status]).toEqual([['answer'], 200])
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
  })

  test('a latency is drawn between its bounds; the lower one defaults to 0', () => {
    const bound = fc.integer({ min: 0, max: 600_000 })
    const property = fc.property(bound, bound, (one, other) => {
      const [min, max] = [Math.min(one, other), Math.max(one, other)]
      const delay = requestWith([{ kind: 'latency', min_ms: min, max_ms: max }]).wire?.delayMs
      expect(delay).toBeGreaterThanOrEqual(min)
      expect(delay).toBeLessThanOrEqual(max)
      const upToMaximum = requestWith([{ kind: 'latency', max_ms: max }]).wire?.delayMs
      expect(upToMaximum).toBeLessThanOrEqual(max)
    })
    fc.assert(property)
  })
})

describe('of several faults that are due', () => {
  const reset = { kind: 'reset' } as const
  const html = { kind: 'html' } as const
  const truncated = { kind: 'truncated-body' } as const
  const slow = { kind: 'slow-body', ms: 30 } as const
  const wait = { kind: 'latency', ms: 20 } as const

  test.each<[string, z.input<typeof ArmedFault>[], Partial<ApiResponse>]>([
    ['the first in front of the API wins', [html, reset], { status: 502, faults: [1] }],
    ['in the order armed', [reset, html], { status: 0, faults: [1], wire: { end: 'reset' } }],
    ['delays add up', [wait, wait, slow], { wire: { delayMs: 40, bodyMs: 30 }, faults: [1, 2, 3] }],
    [
      'an error may be delayed',
      [wait, html],
      { status: 502, wire: { delayMs: 20 }, faults: [1, 2] },
    ],
    ['a reset too', [reset, wait], { status: 0, wire: { end: 'reset', delayMs: 20 } }],
    ['an error may be truncated', [truncated, html], { status: 502, wire: { end: 'truncated' } }],
    [
      'a response without a body may not',
      [truncated, slow, reset],
      { wire: { end: 'reset' }, faults: [3] },
    ],
  ])('%s', (_, inputs, expected) => {
    expect(requestWith(inputs)).toMatchObject(expected)
  })

  test('those without effect count as matched, not as fired', () => {
    const { listed } = requestWith([html, reset, truncated])
    const counts = listed.map(({ matched, fired }) => [matched, fired])
    expect(counts).toEqual([
      [1, 1],
      [1, 0],
      [1, 1],
    ])
  })
})

test('without a fault the response is the same object that the API returned', () => {
  const response = request().answer()
  expect(applyFaults([], { ...request(), answer: () => response })).toBe(response)
})
