import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Received, Send } from '../../src/compare/ask.ts'
import type { Comparison } from '../../src/compare/comparison.ts'
import { Answers } from '../../src/compare/question.ts'
import type { ServiceRequest } from '../../src/compare/question.ts'
import type { Contents } from '../../src/compare/reading.ts'
import type { FaultInput, SandboxOptions } from '../../src/index.ts'
import { createRandom } from '../../src/records/random.ts'
import type { Random } from '../../src/records/random.ts'
import { aFolder } from '../support/cli.ts'
import { runs } from '../support/depth.ts'
import { aService, compareWith, ORIGIN } from './service.ts'
import type { Service } from './service.ts'

/** `compare`: pace, order and end of its requests. */

// The data of a generated world depend on the time of its creation, and some of these worlds are compared.
vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-02T09:00:00Z') })
afterAll(() => vi.useRealTimers())

const LIMITS = { rate: { perMinute: 60, perHour: 1000 }, share: 0.5 }
const AGENCY = 'sandbox-agency'

/** A service that records each question, with its time and the status of the answer. */
function watched(service: Service) {
  const sent: { question: ServiceRequest; atMs: number; status: number }[] = []
  const send = async (question: ServiceRequest): Promise<Received> => {
    const atMs = service.clock.now()
    const received = await service.send(question)
    sent.push({ question, atMs, status: received.status })
    return received
  }
  return { ...service, send, sent }
}

/** Options of a generated world in which nothing happens while it is read. */
function aStill(generate: { projects: number }): SandboxOptions {
  const fixtures = { version: 1 as const, progress: { mode: 'manual' as const } }
  return { fixtures, generate: { ...generate, agencies: 1 } }
}

describe('with limits of 60 a minute and 1,000 an hour', () => {
  let undisturbed: Promise<unknown> | undefined

  test.for(['fixed', 'clock-aligned', 'sliding', 'bucket'])(
    'half of them is never rejected with faults and restarts, and the output is complete, in windows that are %s',
    async (window) => {
      const world = { ...aStill({ projects: 90 }), policies: { 'rate-window': window } }
      const service = watched(await aService(world, AGENCY))
      const random = createRandom('restarts', window)
      await service.sandbox.faults.set(someFaults(random, 600))
      const comparison = await compareInParts(service, random, { ...LIMITS, contents: 'none' })
      expect(service.sent.length).toBeGreaterThan(500)
      expect(service.sent.filter(({ status }) => status === 429)).toEqual([])
      expect(outputOf(comparison)).toEqual(await (undisturbed ??= plainOutput(90, 'none')))
    },
  )

  test('a comparison that continues remembers its earlier requests, faults or not', async () => {
    const plain = await plainOutput(3, 'latest')
    for (let seed = 1; seed <= runs(20); seed += 1) {
      // So few an hour that forgetting some is noticed.
      const world = { ...aStill({ projects: 3 }), rateLimit: { per_minute: 60, per_hour: 30 } }
      const limits = { rate: { perMinute: 60, perHour: 30 }, share: 1 }
      const service = watched(await aService(world, AGENCY))
      const random = createRandom('faults', seed)
      await service.sandbox.faults.set(someFaults(random, 80))
      const comparison = await compareInParts(service, random, limits)
      expect(service.sent.filter(({ status }) => status === 429)).toEqual([])
      expect(outputOf(comparison)).toEqual(plain)
    }
  })

  test('latency of 2 s changes only the time taken', async () => {
    const timed = async (latencyMs: number) => {
      const { send, ...service } = await aService(aStill({ projects: 3 }), AGENCY)
      const startMs = service.clock.now()
      const { signal } = new AbortController()
      const late: Send = async (question) => {
        await service.clock.wait(latencyMs / 2, signal)
        const received = await send(question)
        await service.clock.wait(latencyMs / 2, signal)
        return received
      }
      const { comparison, asker } = await compareWith(
        { ...service, send: late },
        { ...LIMITS, share: 1 },
      )
      return { comparison, asker, tookMs: service.clock.now() - startMs }
    }
    const [plain, late] = [await timed(0), await timed(2000)]
    expect(untimed(late.comparison)).toEqual(untimed(plain.comparison))
    expect(late.asker.count).toBe(plain.asker.count)
    expect(late.tookMs).toBeGreaterThan(plain.tookMs)
  })
})

/** Runs a comparison that is interrupted three times, and continues each time with the answers so far. */
async function compareInParts(
  service: Service,
  random: Random,
  wanted: Parameters<typeof compareWith>[1],
): Promise<Comparison | undefined> {
  const [answers, sent] = [new Answers(), new Array<number>()]
  const continued = { ...wanted, answers, sent }
  for (let part = 0; part < 3; part += 1) {
    const interruptAt = sent.length + random.integer(1, 20)
    const { comparison } = await compareWith(service, { ...continued, interruptAt })
    expect(comparison).toBeUndefined()
  }
  return (await compareWith(service, continued)).comparison
}

/** The output of a comparison with nothing in its way. */
async function plainOutput(projects: number, contents: Contents): Promise<unknown> {
  const { comparison } = await compareWith(await aService(aStill({ projects }), AGENCY), {
    contents,
  })
  return outputOf(comparison)
}

/** Faults at eight of the first requests. */
function someFaults(random: Random, requests: number): FaultInput[] {
  return Array.from({ length: 8 }, () => {
    const when = { schedule: { nth: random.integer(1, requests) } }
    return random.pick<FaultInput>([
      { kind: 'status', status: random.pick([500, 502, 503]), ...when },
      { kind: 'reset', ...when },
      { kind: 'malformed-json', ...when },
      { kind: 'truncated-body', ...when },
    ])
  })
}

/** The fixture that was read, what is assumed in it, and the differences. */
function outputOf(comparison: Comparison | undefined): unknown {
  const { read, unexplained, inForce } = comparison!
  return untimed({ read, unexplained, inForce })
}

/** A value without the times of answers. */
function untimed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, part: unknown) =>
    name === 'now' || name === 'at' ? null : part,
  )
}

/** A service with the same answer to everything, on a clock that waiting moves. */
function answering(received: Partial<Received>) {
  let ms = Date.parse('2026-03-15T12:00:00Z')
  const sent: number[] = []
  return {
    sent,
    clock: {
      now: () => ms,
      wait: async (by: number) => {
        ms += by
      },
    },
    send: async (): Promise<Received> => {
      sent.push(ms)
      return { status: 200, headers: {}, body: '', ...received }
    },
  }
}

test('after a 5xx it pauses for 30, 60 and 120 s, and stops', async () => {
  const service = answering({ status: 503 })
  const { comparison, asker } = await compareWith({ ...service, sandbox: undefined as never })
  expect(comparison).toBeUndefined()
  expect(asker.stopReason).toBe('The service answered 503. That was 4 times in a row.')
  const [start = 0, ...rest] = service.sent
  expect(rest.map((ms) => (ms - start) / 1000)).toEqual([30, 90, 210])
})

test.for<[status: number, requests: number]>([
  [401, 1],
  [403, 3],
])('it stops at %d, after %d requests', async ([status, requests]) => {
  const service = answering({ status })
  const { comparison, asker } = await compareWith({ ...service, sandbox: undefined as never })
  expect(comparison).toBeUndefined()
  expect(asker.stopReason).toContain(`answered ${status}`)
  expect(service.sent).toHaveLength(requests)
})

test('it waits for at least as long as Retry-After says', async () => {
  const service = answering({ status: 429, headers: { 'retry-after': '77' } })
  await compareWith({ ...service, sandbox: undefined as never })
  const [one = 0, other = 0] = service.sent
  expect(other - one).toBeGreaterThanOrEqual(77_000)
})

test('a lower X-RateLimit-Limit slows it down', async () => {
  const headers = { 'x-ratelimit-limit': '6', 'content-type': 'text/plain' }
  const service = answering({ status: 404, headers })
  await compareWith({ ...service, sandbox: undefined as never }, LIMITS)
  const gaps = service.sent.slice(2).map((ms, index) => ms - service.sent[index + 1]!)
  expect(Math.min(...gaps)).toBe(20_000)
})

test('fixtures without the token are refused after one request', async () => {
  const service = watched(await aService({ demo: true }, AGENCY))
  await using folder = await aFolder({ 'agency.yaml': 'version: 1' })
  const compared = compareWith(service, { fixtures: folder.path('agency.yaml') })
  await expect(compared).rejects.toThrow('--fixtures: No token in it corresponds')
  expect(service.sent.map(({ question }) => question.path)).toEqual(['/api/v1/me'])
})

test('it asks with GET below /api/v1 alone, each question once, and follows no report link', async () => {
  const service = watched(await aService({ demo: true, rateLimit: 'unlimited' }, AGENCY))
  await compareWith(service)
  const asked = service.sent.map(({ question }) => JSON.stringify({ ...question, role: '' }))
  expect(new Set(asked).size).toBe(asked.length)
  const outside = service.sent.filter(({ question: { path } }) => !path.startsWith('/api/v1/'))
  expect(outside).toEqual([])
  expect(ORIGIN).not.toBe('')
})
