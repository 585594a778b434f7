import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { CommandError, createSandbox } from '../../src/index.ts'
import type {
  Command,
  FixtureInput,
  PolicySettings,
  Sandbox,
  SandboxOptions,
  Snapshot,
} from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

const NOW = new Date('2026-03-15T12:00:30Z')
const LIMITED = 'limited-token'
const SPENT = 'spent-token'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Two projects, one with content, relative dates, and tokens with a small, a spent and no budget. */
const world = aWorld({
  frozen: false,
  users: [{ id: 7, name: 'Maja', agency: 1 }],
  tokens: [
    aToken({ id: 1, token: AGENCY }),
    aToken({ id: 2, token: SUPER, agency: null }),
    aToken({ id: 3, token: LIMITED, rate_limit: { per_minute: 3, per_hour: 9 } }),
    aToken({ id: 4, token: SPENT, rate_limit: {}, spent: 'minute' }),
  ],
  projects: [
    aProject({
      id: 1,
      created_at: 'now-3d',
      keywords: [{ id: 101, keyword: 'fish', create_date: 'month-1/31' }],
      reports: [
        aReport({
          id: 11,
          date_to_create_texts: 'month+0/05',
          content: { 101: [{ h3: 'Fish', text: 'Fresh.' }] },
        }),
        aReport({ id: 12, approved_by: 7 }),
      ],
    }),
    aProject({ id: 2, created_at: '2026-02-01T00:00:00Z' }),
  ],
})

/** The same world, also with each mode of progress, and with generated records. */
const WORLDS: Record<string, FixtureInput> = {
  written: world,
  'written, moving with time': { ...world, progress: { mode: 'time' } },
  'written, moving with reads': { ...world, progress: { mode: 'reads', reads: 2 } },
  'generated, moving with time': { ...world, generate: { projects: 3, keywords: 3, reports: 5 } },
  'generated, moving with reads': {
    ...world,
    generate: { projects: 3, keywords: 3, reports: 5 },
    progress: { mode: 'reads' },
  },
}

const POLICIES: fc.Arbitrary<PolicySettings> = fc.record({
  'rate-window': fc.constantFrom('fixed', 'sliding', 'bucket', 'clock-aligned'),
  'rejected-requests': fc.constantFrom('counted', 'uncounted'),
  'data-refresh': fc.constantFrom('fresh', 'stale'),
})

type Step = { ask: { path: string; token: string } } | { command: Command } | { passMs: number }

const ask = fc.record({
  path: fc.constantFrom(
    '/me',
    '/projects',
    '/projects?search=patched',
    '/projects/1',
    '/projects/3',
    '/projects/1/reports',
    '/projects/1/reports/latest',
    '/projects/1/reports/11/content',
    '/projects/1/keywords',
    '/projects/1001',
    '/projects/1001/reports',
    '/projects/1001/reports/2/content',
    '/projects/1002/reports/latest',
    '/users',
    '/unknown',
  ),
  token: fc.constantFrom(AGENCY, SUPER, LIMITED, LIMITED, LIMITED, SPENT),
})

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant('record.patch' as const),
    collection: fc.constant('projects' as const),
    id: fc.constantFrom(1, 2, 3, 1001),
    patch: fc.record({ name: fc.nat(99).map((number) => `patched ${number}`) }),
  }),
  fc.record({
    type: fc.constant('record.patch' as const),
    collection: fc.constant('tokens' as const),
    id: fc.constant(3),
    patch: fc.record({ rate_limit: fc.record({ per_minute: fc.integer({ min: 1, max: 5 }) }) }),
  }),
  fc.record({
    type: fc.constant('record.patch' as const),
    collection: fc.constant('reports' as const),
    id: fc.constantFrom(11, 100_102, 100_201),
    patch: fc.record({ status: fc.constantFrom('pending', 'running', 'completed') }),
  }),
  fc.record({
    type: fc.constant('record.put' as const),
    collection: fc.constant('projects' as const),
    record: fc.constant(aProject({ id: 3, created_at: 'now-1h' })),
  }),
  fc.record({
    type: fc.constant('record.delete' as const),
    collection: fc.constantFrom('projects' as const, 'reports' as const, 'tokens' as const),
    id: fc.constantFrom(2, 3, 12, 1001, 100_103),
  }),
  fc.record({
    type: fc.constant('clock.advance' as const),
    by: fc.constantFrom('PT20S', 'PT61S', 'PT1H', 'P1M', 1),
  }),
  fc.record({
    type: fc.constant('clock.set' as const),
    now: fc.constantFrom('2026-03-01', '2026-04-10T08:00:00Z', 'now-3d', 'month+1/01'),
  }),
  fc.record({ type: fc.constant('clock.freeze' as const), frozen: fc.boolean() }),
  fc.constant({ type: 'reset' as const }),
)

const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ask }) },
  { weight: 2, arbitrary: fc.record({ command }) },
  {
    weight: 1,
    arbitrary: fc.record({ passMs: fc.constantFrom(1, 1000, 29_999, 60_000, 3_600_000) }),
  },
)
const steps = fc.array(aStep, { maxLength: 25, size: 'max' })

/** Visible result of each step: a status, headers and bytes, or the result of a command. */
async function takeAll(sandbox: Sandbox, list: readonly Step[]): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const step of list) {
    if ('passMs' in step) vi.setSystemTime(Date.now() + step.passMs)
    else if ('command' in step) {
      seen.push(await sandbox.command(step.command).catch((error: unknown) => String(error)))
    } else seen.push(await answerTo(sandbox, step.ask))
  }
  return [...seen, sandbox.world.journal.commands, sandbox.clock.read()]
}

async function answerTo(
  sandbox: Sandbox,
  { path, token }: { path: string; token: string },
): Promise<[status: number, headers: object, text: string]> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await sandbox.fetch(`/api/v1${path}`, { headers })
  return [response.status, Object.fromEntries(response.headers), await response.text()]
}

function throughJson(snapshot: Snapshot): Snapshot {
  return JSON.parse(JSON.stringify(snapshot)) as Snapshot
}

describe('after a snapshot is restored', () => {
  test.each(Object.entries(WORLDS))(
    'every request and command has the same result as before: %s',
    async (_, fixtures) => {
      await fc.assert(
        fc.asyncProperty(POLICIES, steps, steps, steps, async (policies, before, after, lost) => {
          vi.setSystemTime(NOW)
          const options: SandboxOptions = { fixtures, policies }
          const sandbox = await createSandbox(options)
          await takeAll(sandbox, before)

          const snapshot = await sandbox.snapshot()
          const takenMs = Date.now()
          const kept = throughJson(snapshot)
          expect(kept).toEqual(snapshot)
          const seen = structuredClone(await takeAll(sandbox, after))
          await takeAll(sandbox, lost)
          expect(snapshot).toEqual(kept)

          vi.setSystemTime(takenMs)
          await sandbox.restore(kept)
          expect(await sandbox.snapshot()).toEqual(snapshot)
          expect(await takeAll(sandbox, after)).toEqual(seen)

          vi.setSystemTime(takenMs)
          const other = await createSandbox(options)
          await other.restore(snapshot)
          expect(await takeAll(other, after)).toEqual(seen)
        }),
        { numRuns: runs(60) },
      )
    },
    60_000,
  )

  test('a generated world of any size is the same in a sandbox with another seed', async () => {
    const sandbox = await createSandbox({ generate: { projects: 2_000 }, seed: 'one' })
    const path = '/projects/2999/reports'
    await sandbox.command({ type: 'record.delete', collection: 'reports', id: 299_901 })
    const before = await answerTo(sandbox, { path, token: 'sandbox-super' })
    const snapshot = await sandbox.snapshot()
    expect(JSON.stringify(snapshot).length).toBeLessThan(20_000)

    const other = await createSandbox({ seed: 'other' })
    await other.restore(snapshot)
    expect((await answerTo(other, { path, token: 'sandbox-super' }))[2]).toBe(before[2])
    await other.reset()
    expect((await answerTo(other, { path, token: 'sandbox-super' }))[0]).toBe(404)
  })

  test('projects of a locale without a market of its own are of the first one', async () => {
    const sandbox = await createSandbox({ generate: { projects: 50, locale: ['da', 'sv'] } })
    const snapshot = await sandbox.snapshot()
    const { markets } = snapshot.origin.generation!
    const [first] = markets
    markets.length = 1
    await sandbox.restore(snapshot)
    const projects = sandbox.world.records.all('projects')
    expect(new Set(projects.map(({ country }) => country))).toEqual(new Set([first!.country]))
  })

  test('the world clock continues from where it was, and the rate clock with the machine', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    await sandbox.clock.set('2026-01-31T23:59:00Z')
    await sandbox.clock.advance('PT30S')
    const snapshot = await sandbox.snapshot()
    vi.setSystemTime(new Date('2027-01-01T00:00:00Z'))
    await sandbox.restore(snapshot)
    expect(sandbox.clock.read()).toEqual({
      now: '2026-01-31T23:59:30.000000Z',
      frozen: false,
      rate_clock: '2027-01-01T00:00:30.000000Z',
    })
    vi.setSystemTime(new Date('2027-01-01T00:01:00Z'))
    expect(sandbox.clock.read().now).toBe('2026-02-01T00:00:30.000000Z')
  })

  test.each(['fixed', 'sliding', 'clock-aligned'] as const)(
    'an open %s window ends after the time that it had left',
    async (window) => {
      const policies = { 'rate-window': window }
      const sandbox = await createSandbox({ fixtures: world, policies })
      const statusOf = async () => (await answerTo(sandbox, { path: '/me', token: LIMITED }))[0]
      vi.setSystemTime(new Date('2026-03-15T12:01:00Z'))
      for (let count = 0; count < 3; count += 1) await statusOf()
      vi.setSystemTime(new Date('2026-03-15T12:01:40Z'))
      const snapshot = await sandbox.snapshot()

      vi.setSystemTime(new Date('2026-03-16T08:00:00Z'))
      await sandbox.restore(snapshot)
      expect(await statusOf()).toBe(429)
      vi.setSystemTime(new Date('2026-03-16T08:00:19.999Z'))
      expect(await statusOf()).toBe(429)
      vi.setSystemTime(new Date('2026-03-16T08:00:20Z'))
      expect(await statusOf()).toBe(200)
    },
  )

  test('a window continues under another kind of window', async () => {
    vi.setSystemTime(new Date('2026-03-15T12:01:00Z'))
    const kinds = ['fixed', 'sliding', 'bucket', 'clock-aligned'] as const
    for (const [from, to] of kinds.flatMap((one) => kinds.map((other) => [one, other] as const))) {
      const sandbox = await createSandbox({ fixtures: world, policies: { 'rate-window': from } })
      const other = await createSandbox({ fixtures: world, policies: { 'rate-window': to } })
      for (let count = 0; count < 3; count += 1) {
        await answerTo(sandbox, { path: '/me', token: LIMITED })
      }
      await other.restore(await sandbox.snapshot())
      const [status] = await answerTo(other, { path: '/me', token: LIMITED })
      expect([from, to, status]).toEqual([from, to, 429])
    }
  })

  test('no concurrent request sees part of it', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const snapshot = await sandbox.snapshot()
    await sandbox.clock.set('2030-01-01')
    await sandbox.command({
      type: 'record.patch',
      collection: 'projects',
      id: 1,
      patch: { name: 'Other' },
    })
    const read = async () => {
      const [, , text] = await answerTo(sandbox, { path: '/projects/1', token: AGENCY })
      const { data, cache_refreshed_at } = JSON.parse(text)
      return `${data.name} ${cache_refreshed_at}`
    }
    const seen = new Set<string>()
    const restored = sandbox.restore(snapshot)
    while (seen.size < 2) seen.add(await read())
    await restored
    seen.add(await read())
    expect([...seen]).toEqual([
      'Other 2030-01-01T00:00:00.000000Z',
      'Project 1 2026-03-15T12:00:00.000000Z',
    ])
  })
})

describe('a snapshot', () => {
  test('includes the commands before it, and a restore waits for its turn', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const first = sandbox.snapshot()
    void sandbox.clock.set('2027-01-01')
    const second = sandbox.snapshot()
    const restored = first.then((snapshot) => sandbox.restore(snapshot))
    const [{ clock: before }, { clock: after }] = await Promise.all([first, second])
    expect([before.now, after.now]).toEqual([
      '2026-03-15T12:00:00.000000Z',
      '2027-01-01T00:00:00.000000Z',
    ])
    await restored
    expect(sandbox.clock.read().now).toBe('2026-03-15T12:00:00.000000Z')
  })

  test('is a copy: changing it affects no response', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const snapshot = await sandbox.snapshot()
    await sandbox.restore(snapshot)
    const before = await answerTo(sandbox, { path: '/projects/1', token: AGENCY })
    for (const project of snapshot.records.projects) project.name = 'Changed'
    expect(await answerTo(sandbox, { path: '/projects/1', token: AGENCY })).toEqual(before)
  })

  /** A change to a valid snapshot, and the error that it results in. */
  const wrong: [title: string, change: (good: any) => unknown, sentence: string][] = [
    ['nothing', () => undefined, 'snapshot: nothing is not a snapshot. Take a new one'],
    ['a list', () => [], 'snapshot: a list is not a snapshot.'],
    ['a fixture', () => ({ version: 1, agencies: [] }), 'snapshot: This is not a snapshot.'],
    ['no version', () => ({ taken_at: '' }), 'snapshot: This is not a snapshot.'],
    [
      'another version',
      (good) => ({ ...good, version: 2 }),
      'snapshot.version: This snapshot is of version 2, and this release of seo-sandbox reads version 1. Take a new one.',
    ],
    [
      'no records',
      (good) => ({ ...good, records: undefined }),
      'snapshot.records: This is required',
    ],
    ['an unknown field', (good) => ({ ...good, clok: {} }), 'Did you mean "clock"?'],
    [
      'a time that does not exist',
      (good) => ({ ...good, clock: { ...good.clock, now: '2026-02-30T00:00:00.000000Z' } }),
      'snapshot.clock.now: "2026-02-30T00:00:00.000000Z" is not a date and time.',
    ],
    [
      'a relative time',
      (good) => ({ ...good, clock: { ...good.clock, now: 'now' } }),
      'snapshot.clock.now: ',
    ],
    [
      'a rate clock that was set back',
      (good) => ({ ...good, clock: { ...good.clock, rate_offset_ms: -1 } }),
      'snapshot.clock.rate_offset_ms: -1 is too small.',
    ],
    [
      'an invalid status',
      withRecord('reports', 0, { status: 'done' }),
      'snapshot.records.reports[0].status: "done" is not a report status.',
    ],
    ['a duplicate id', withRecord('projects', 1, { id: 1 }), 'There is another project 1.'],
    [
      'a dangling reference',
      withRecord('projects', 1, { agency: 9 }),
      'snapshot.records.projects[1].agency: There is no agency 9.',
    ],
    ['a duplicate report number', withRecord('reports', 1, { report_number: 11 }), 'number 11'],
    ['a duplicate bearer value', withRecord('tokens', 1, { token: AGENCY }), 'bearer value'],
    [
      'content of a keyword that does not exist',
      withRecord('reports', 1, { content: { 999: [] } }),
      'Project 1 has no keyword 999.',
    ],
    [
      'an incomplete count',
      (good) => ({ ...good, rate_windows: [{ token: 3, minute: [{ age_ms: 0 }], hour: [] }] }),
      'snapshot.rate_windows[0].minute[0].requests: This is required',
    ],
    [
      'far too many problems',
      (good) => ({ ...good, commands: Array.from({ length: 5_000 }, () => 0) }),
      'snapshot.commands[0]: 0 is not a map of fields.',
    ],
    [
      'an invalid stale view',
      (good) => ({ ...good, published: { changed: good.records, added: {} } }),
      'snapshot.published.added.agencies',
    ],
  ]

  test.each(wrong)(
    'that is %s is refused, and nothing has changed',
    async (_, change, sentence) => {
      const sandbox = await createSandbox({ fixtures: world })
      const before = await sandbox.snapshot()
      const snapshot = change(structuredClone(before)) as Snapshot
      const error = await sandbox.restore(snapshot).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(CommandError)
      const { code, message } = error as CommandError
      expect(code).toBe('invalid_command')
      expect(message).toContain(sentence)
      expect(message.length).toBeLessThan(3000)
      expect(await sandbox.snapshot()).toEqual(before)
    },
  )

  /** A snapshot with fields of one of its records replaced. */
  function withRecord(name: string, index: number, fields: object): (good: any) => unknown {
    return (good) => {
      Object.assign(good.records[name][index], fields)
      return good
    }
  }
})

describe('over HTTP', () => {
  let server: SandboxServer
  beforeAll(async () => {
    server = await startServer({ port: 0, fixtures: world })
  })
  afterAll(() => server.close())

  const PATH = '/_sandbox/snapshots'
  const send = (method: string, body?: string) =>
    sendRaw(server.port, { target: PATH, method, ...(body === undefined ? {} : { body }) })

  test('GET takes one and POST restores it', async () => {
    const taken = await send('GET')
    expect([taken.status, taken.body]).toMatchObject([200, { version: 1, records: {} }])
    await server.sandbox.clock.set('2030-01-01')
    const restored = await send('POST', taken.text)
    expect([restored.status, restored.body]).toEqual([200, server.sandbox.clock.read()])
    expect(await server.sandbox.snapshot()).toEqual(taken.body)
  })

  test('one that is larger than a command may be is accepted', async () => {
    const text = 'x'.repeat(3 * 2 ** 20)
    const large = await server.sandbox.snapshot()
    large.records.reports[0]!.content = { 101: [{ h3: 'Fish', text }] }
    expect((await send('POST', JSON.stringify(large))).status).toBe(200)
    expect((await send('GET')).text).toContain(text)
  })
})
