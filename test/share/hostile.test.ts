import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { decodeLink } from '../../src/share/link.ts'
import { replayShared } from '../../src/share/replay-shared.ts'
import { ShareError } from '../../src/share/share-error.ts'
import type { SharedSession } from '../../src/session/session.ts'
import { runs } from '../support/depth.ts'
import { aProject, aToken } from '../support/worlds.ts'
import { createPlayer, randomWorld, withinSession } from '../world/random-steps.ts'
import { aCommand, aRequest, aShared, CLOCK, openTab } from './tab.ts'

/**
 * A hostile link is refused with a sentence, or opened; nothing else happens (docs/static-demo.md, "Share what is on screen").
 */

const MEGABYTE = 2 ** 20

/** Shared sessions from which hostile links are made. */
const models: SharedSession[] = []

beforeAll(async () => {
  const tab = await openTab({ fixtures: randomWorld() })
  const player = createPlayer(tab.sandbox)
  for (const step of fc.sample(withinSession, { numRuns: 60, seed: 39 })) await player(step)
  models.push(
    await tab.share(),
    aShared({
      steps: [
        aCommand({ type: 'record.put', collection: 'projects', record: aProject({ id: 1 }) }),
        aCommand({
          type: 'record.patch',
          collection: 'tokens',
          id: 1,
          patch: { token: 'token-1-2', name: 'Other' },
        }),
        aCommand({
          type: 'record.put',
          collection: 'tokens',
          record: aToken({ id: 9, token: 'token-9' }),
        }),
        aCommand({ type: 'fault.add', fault: { kind: 'status', status: 503, token: 'token-2' } }),
        aCommand({ type: 'clock.advance', by: 'P1M' }),
        aCommand({ type: 'policy.set', policies: { 'error-body': 'envelope' } }),
        {
          ...aRequest({ authorization: 'Bearer token-1', accept: 'text/html' }),
          connection: 3,
          open_connections: 2,
          sent: { after: 4, at_ms: 1e12 },
        },
        aRequest({ method: 'HEAD', path: '/api/v1/projects/1/reports', query: 'page=2' }),
      ],
    }),
    await restoringSnapshot(),
    await startedAgain(),
  )
})

async function restoringSnapshot(): Promise<SharedSession> {
  const tab = await openTab({ fixtures: randomWorld({ generate: { projects: 2 } }) })
  await tab.sandbox.restore(await tab.sandbox.snapshot())
  return tab.share()
}

async function startedAgain(): Promise<SharedSession> {
  const tab = await openTab()
  await tab.sandbox.command({ type: 'fixtures.load', fixtures: randomWorld() })
  await tab.sandbox.command({ type: 'scenario.load', scenario: 'late-finisher' })
  const player = createPlayer(tab.sandbox)
  for (const step of fc.sample(withinSession, { numRuns: 20, seed: 7 })) await player(step)
  return tab.share()
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 2, 15) })
})
afterEach(() => {
  vi.useRealTimers()
})

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    [],
    {},
    '',
    1e308,
    -1e308,
    Number.MAX_SAFE_INTEGER,
    2 ** 53,
    0.1,
    -1,
    7,
    100_000,
    'now',
    'token-1',
    'reset',
    'GET',
    '/api/v1/projects',
    '__proto__',
    'constructor',
    '<script>alert(1)</script>',
    'javascript:alert(1)',
    '\u0000\u202E\uD800',
    'P9999999999999Y',
    '9999-12-31T23:59:59Z',
    'now+999999y',
    '(a+)+$'.repeat(50),
    'a'.repeat(50_000),
    JSON.parse('{"__proto__":{"polluted":1}}'),
    JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`),
    Array.from({ length: 300 }, (_, index) => index),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

/** A change at some place in plain data. */
interface Change {
  at: number
  how: 'replace' | 'remove' | 'add' | 'repeat'
  key: string
  value: unknown
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom<Change['how'][]>('replace', 'remove', 'add', 'repeat'),
  key: fc.constantFrom('__proto__', 'constructor', 'type', 'token', 'seed', 'steps', 'x'),
  value: hostileValue,
})

function changed(model: SharedSession, changes: readonly Change[]): string {
  const copy: unknown = structuredClone(model)
  for (const { at, how, key, value } of changes) {
    const places = placesOf(copy)
    const place = places[at % places.length]
    if (!place) continue
    const { inside, name } = place
    const isList = Array.isArray(inside)
    const changedName = how === 'add' && !isList ? key : name
    if (how === 'remove') Reflect.deleteProperty(inside, name)
    else if (how === 'repeat' && isList) inside.push(...inside.slice(0, 100))
    else Object.defineProperty(inside, changedName, { value: structuredClone(value), ...OPEN })
  }
  return JSON.stringify(copy)
}

const OPEN = { enumerable: true, configurable: true, writable: true }

function placesOf(value: unknown): { inside: object; name: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [
    { inside: value, name },
    ...placesOf(part),
  ])
}

const toLink = (bytes: Uint8Array): string => `s1.${Buffer.from(bytes).toString('base64url')}`
const linkOfText = (text: string): string => toLink(deflateRawSync(Buffer.from(text)))

const model = fc.nat().map((index) => models[index % models.length]!)

const hostileLink: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(model, fc.array(change, { minLength: 1, maxLength: 3 }))
      .map(([one, changes]) => linkOfText(changed(one, changes))),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(model, fc.nat()).map(([one, at]) => {
      const link = linkOfText(JSON.stringify(one))
      return link.slice(0, at % link.length)
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(model, fc.array(fc.nat(), { minLength: 1, maxLength: 8 }))
      .map(([one, flips]) => {
        const bytes = deflateRawSync(Buffer.from(JSON.stringify(one)))
        for (const flip of flips) bytes[(flip >> 3) % bytes.length]! ^= 1 << (flip & 7)
        return toLink(bytes)
      }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(model, fc.array(fc.nat(), { minLength: 1, maxLength: 8 }))
      .map(([one, flips]) => {
        const bytes = Buffer.from(JSON.stringify(one))
        for (const flip of flips) bytes[(flip >> 3) % bytes.length]! ^= 1 << (flip & 7)
        return toLink(deflateRawSync(bytes))
      }),
  },
  fc
    .record({
      megabytes: fc.integer({ min: 0, max: 6 }),
      filler: fc.constantFrom(' ', '[', '"', '0', '\u0000'),
    })
    .map(({ megabytes, filler }) => linkOfText(filler.repeat(megabytes * MEGABYTE + 10))),
  fc
    .record({
      levels: fc.integer({ min: 1, max: 100_000 }),
      open: fc.constantFrom('[', '{"a":', '[{"steps":'),
    })
    .map(({ levels, open }) => linkOfText(open.repeat(levels))),
  fc.jsonValue().map((value) => linkOfText(JSON.stringify(value))),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.base64String({ maxLength: 300 }).map((text) => `s1.${text}`),
  fc.uint8Array({ maxLength: 300 }).map(toLink),
)

test('any text is opened, or refused with a sentence, in time and in little memory', async () => {
  const seen = { opened: 0, longestMs: 0 }
  const before = heldBytes()
  await fc.assert(
    fc.asyncProperty(hostileLink, async (link) => {
      const started = process.cpuUsage()
      try {
        const shared = await decodeLink(link)
        const create = () => createSandbox({ fixtures: randomWorld() })
        const sandbox = await replayShared(shared, { create, clock: CLOCK })
        // Reads everything that the console shows of a sandbox.
        sandbox.review()
        await sandbox.session()
        sandbox.requests.all()
        seen.opened += 1
      } catch (error) {
        if (!(error instanceof ShareError)) throw error
        expect(error.message).toMatch(/^[A-Z].{10,400}[.…]$/s)
      }
      const { user, system } = process.cpuUsage(started)
      seen.longestMs = Math.max(seen.longestMs, (user + system) / 1000)
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      expect(heldBytes() - before).toBeLessThan(400 * MEGABYTE)
    }),
    {
      numRuns: runs(1000),
      endOnFailure: true,
      examples: models.map((one) => [linkOfText(JSON.stringify(one))]),
    },
  )
  expect(seen.opened).toBeGreaterThan(0)
  // CPU time, so that a busy machine does not fail the test.
  expect(seen.longestMs).toBeLessThan(2000)
})

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
