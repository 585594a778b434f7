import { describe, expect, test } from 'vitest'
import type { Received } from '../../src/compare/ask.ts'
import type { ServiceRequest } from '../../src/compare/question.ts'
import type { FaultInput, SandboxOptions } from '../../src/index.ts'
import { createRandom } from '../../src/records/random.ts'
import { runs } from '../support/depth.ts'
import { aService, compareWith, ORIGIN } from './service.ts'
import type { Service } from './service.ts'

/** `compare`: pace, order and end of its requests. */

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
  test.for(['fixed', 'clock-aligned', 'sliding', 'bucket'])(
    'half of them is never rejected, in windows that are %s',
    async (window) => {
      const options = { ...aStill({ projects: 90 }), policies: { 'rate-window': window } }
      const service = watched(await aService(options, AGENCY))
      const { comparison } = await compareWith(service, { ...LIMITS, contents: 'none' })
      expect(service.sent.length).toBeGreaterThan(500)
      expect(service.sent.filter(({ status }) => status === 429)).toEqual([])
      expect(comparison?.answers).toMatchObject({ unexplained: 0 })
    },
  )

  test('faults and lost connections only take time, and the fixture is complete', async () => {
    for (let seed = 1; seed <= runs(20); seed += 1) {
      const world = aStill({ projects: 3 })
      const plain = await compareWith(await aService(world, AGENCY), LIMITS)
      const service = watched(await aService(world, AGENCY))
      await service.sandbox.faults.set(someFaults(seed))
      const { comparison } = await compareWith(service, LIMITS)
      expect(service.sent.filter(({ status }) => status === 429)).toEqual([])
      expect(withoutNow(comparison?.read?.fixture)).toEqual(
        withoutNow(plain.comparison?.read?.fixture),
      )
    }
  })
})

function someFaults(seed: number): FaultInput[] {
  const random = createRandom('faults', seed)
  return Array.from({ length: 8 }, () => {
    const when = { schedule: { nth: random.integer(1, 80) } }
    return random.pick<FaultInput>([
      { kind: 'status', status: random.pick([500, 502, 503]), ...when },
      { kind: 'reset', ...when },
      { kind: 'malformed-json', ...when },
      { kind: 'truncated-body', ...when },
    ])
  })
}

function withoutNow(fixture: object | undefined): object {
  return { ...fixture, now: null }
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
  expect(asker.stopped).toBe('The service answered 503. That was 4 times in a row.')
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
  expect(asker.stopped).toContain(`answered ${status}`)
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

test('it asks with GET below /api/v1 alone, each question once, and follows no report link', async () => {
  const service = watched(await aService({ demo: true, rateLimit: 'unlimited' }, AGENCY))
  await compareWith(service)
  const asked = service.sent.map(({ question }) => JSON.stringify({ ...question, role: '' }))
  expect(new Set(asked).size).toBe(asked.length)
  const outside = service.sent.filter(({ question: { path } }) => !path.startsWith('/api/v1/'))
  expect(outside).toEqual([])
  expect(ORIGIN).not.toBe('')
})
