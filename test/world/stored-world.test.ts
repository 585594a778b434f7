import fc from 'fast-check'
import { expect, test } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import type { Snapshot } from '../../src/index.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import type { Change } from '../../src/world/change.ts'
import { aProject } from '../support/worlds.ts'
import { anything, randomWorld, VALUES } from './random-steps.ts'
import type { RandomStep } from './random-steps.ts'
import { DrivenWorld, Seeds } from './stored-world.ts'
import type { DrivenOptions, Entry } from './stored-world.ts'

const STARTED_MS = Date.parse('2026-03-15T12:00:30.250Z')

const SUFFIX = '~w1-0123456789abcdef'

const policies = fc
  .array(fc.constantFrom(...POLICIES.map(({ policy }) => policy)), { maxLength: 4 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, optionOf(name)]))))

function optionOf(name: string) {
  const { options } = POLICIES.find(({ policy }) => policy === name)!
  return fc.constantFrom(...Object.keys(options))
}

/** Worlds of every mode of progress, written and generated, which show gaps or not. */
const worlds: fc.Arbitrary<DrivenOptions> = fc.record({
  options: fc.record({
    fixtures: fc
      .record(
        {
          progress: fc.constantFrom(
            { mode: 'reads', reads: 2 },
            { mode: 'time' },
            { mode: 'manual' },
          ),
          generate: fc.constantFrom({ projects: 2, keywords: 2, reports: 4 }, undefined),
          now: fc.constantFrom('2026-03-15T12:00:00Z', 'now-3d'),
          frozen: fc.boolean(),
          policies,
        },
        { requiredKeys: ['policies'] },
      )
      .map((changes) => randomWorld(changes as object)),
    showGaps: fc.boolean(),
    policies,
    seed: fc.constantFrom('1', 'spring'),
    latency: fc.constantFrom(undefined, '0-50'),
  }) as fc.Arbitrary<DrivenOptions['options']>,
  tokenSuffix: fc.constantFrom('', SUFFIX),
  journalSize: fc.constantFrom(3, 9, 1000),
})

const patchOf = (patch: object) => ({
  type: 'record.patch' as const,
  collection: 'reports',
  patch,
})

/** Changes that depend on the records, and policies of every kind. */
const others: fc.Arbitrary<{ change: Change }> = fc
  .oneof(
    policies.map((set) => ({ command: { type: 'policy.set', policies: set } })),
    fc.constantFrom<Change>(
      { report: { project: 1, report_number: 1 }, command: patchOf({ status: 'running' }) },
      { report: { project: 9, report_number: 2 }, command: patchOf({}) },
      { report: { project: 1, report_number: 3 }, command: { type: 'report.start' } },
      { report: { project: 1001, report_number: 1 }, command: { type: 'report.complete' } },
      { collection: 'projects', add_record: { ...aProject({ id: 77 }) } },
      { collection: 'projects', add_record: { id: 1 } },
    ),
  )
  .map((change) => ({ change }))

/** Requests that are answered, with a token whose limit is soon reached. */
const answered: fc.Arbitrary<RandomStep> = fc
  .record({
    path: fc.constantFrom('/me', '/projects', '/projects/1', '/projects/1/reports/latest'),
    bearer: fc.constantFrom(VALUES.limited, VALUES.limited, VALUES.manager),
  })
  .map(({ path, bearer }) => ({
    request: {
      method: 'GET',
      path: `/api/v1${path}`,
      query: '',
      clientIp: '127.0.0.1',
      origin: 'http://localhost',
      authorization: `Bearer ${bearer}`,
      headers: ['Authorization', `Bearer ${bearer}`, 'X-Trace', path],
    },
  }))

/** The end of the response to one of the last requests. */
const ends = fc.record({ endOf: fc.nat(4), tookMs: fc.nat(200), isAborted: fc.boolean() })

const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: anything },
    { weight: 8, arbitrary: answered },
    { weight: 1, arbitrary: others },
    { weight: 2, arbitrary: ends },
  ),
  { minLength: 5, maxLength: isFullDepth ? 30 : 12 },
)

const readingTimes = fc.constantFrom(0, 1, 90_000, 40 * 86_400_000)

/** Adds the suffix of an isolated world to its requests. */
function withSuffix<Plain>(plain: Plain, suffix: string): Plain {
  let text = JSON.stringify(plain)
  for (const value of Object.values(VALUES)) text = text.replaceAll(value, value + suffix)
  return JSON.parse(text)
}

/** `PROPERTY_DEPTH=34` makes a thousand runs. */
test('a world that is stored after any entry of its log continues exactly as the running one, whatever was read of that later', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, steps, readingTimes, async (driven, drawn, laterMs) => {
      const seeds = new Seeds()
      const live = await DrivenWorld.create(driven, STARTED_MS)
      const log: Entry[] = []
      const answers: string[] = []
      const stored = [await live.store(seeds)]
      let atMs = STARTED_MS
      let earlier: Snapshot | undefined
      for (const step of drawn) {
        if ('passMs' in step) atMs += step.passMs
        else {
          const entry = { ...toEntry(step, { earlier, live }), atMs } as Entry
          const sent = 'request' in entry ? withSuffix(entry, driven.tokenSuffix) : entry
          log.push(sent)
          if ('restoreEarlier' in step) earlier = await live.world.snapshot()
          answers.push(await live.apply(sent))
          await live.readLater(laterMs, seeds)
          stored.push(await live.store(seeds))
        }
        earlier ??= await live.world.snapshot()
      }
      const end = await live.observe(seeds)

      for (const [position, text] of stored.entries()) {
        const resumed = await DrivenWorld.resume(driven, text, seeds)
        requireSame(await resumed.store(seeds), text, `stored after ${position} entries`)
        for (const [index, entry] of log.entries()) {
          if (index < position) continue
          const place = `answer to entry ${index}, resumed after ${position}`
          requireSame(await resumed.apply(entry), answers[index]!, place)
        }
        const observed = await resumed.observe(seeds)
        expect(observed).toHaveLength(end.length)
        for (const [index, part] of observed.entries())
          requireSame(part, end[index]!, `part ${index}, resumed after ${position}`)
      }
    }),
    { numRuns: runs(30), endOnFailure: true },
  )
}, 600_000)

/** Shows only the beginning of a difference: the texts are long. */
function requireSame(actual: string, expected: string, what: string): void {
  if (actual === expected) return
  let at = 0
  while (actual[at] === expected[at]) at += 1
  const start = Math.max(0, at - 200)
  expect.fail(
    `${what}: …${actual.slice(start, at + 200)}… instead of …${expected.slice(start, at + 200)}…`,
  )
}

test('a stored world that a snapshot has replaced says so, until a reset', async () => {
  const seeds = new Seeds()
  const driven = { options: { fixtures: randomWorld() }, tokenSuffix: '', journalSize: 9 }
  const live = await DrivenWorld.create(driven, STARTED_MS)
  const restore = { type: 'snapshot.restore', snapshot: await live.world.snapshot() } as const
  for (const [command, isRestored] of [
    [restore, true],
    [{ type: 'clock.advance', by: 'P1D' }, true],
    [{ type: 'reset' }, false],
  ] as const) {
    await live.world.command(command)
    const { world } = await DrivenWorld.resume(driven, await live.store(seeds), seeds)
    expect(world.origin).toMatchObject({ isRestored })
  }
})

test.each([
  ['an isolated world', SUFFIX],
  ['the default world, of which it is none', ''],
])('a bearer value that a command sets has the suffix of %s', async (_, tokenSuffix) => {
  const options = { fixtures: randomWorld() }
  const { world } = await DrivenWorld.create({ options, tokenSuffix, journalSize: 9 }, STARTED_MS)
  const token = { ...world.records.get('tokens', 1)!, token: `given${SUFFIX}~w22-0123456789abcdef` }
  await world.command({ type: 'record.put', collection: 'tokens', record: token })
  await world.command({
    type: 'record.patch',
    collection: 'tokens',
    id: 2,
    patch: { token: 'other' },
  })
  const valuesOf = () => world.records.all('tokens').map((record) => record.token)
  const expected = ['given', 'other', VALUES.spent].map((value) => value + tokenSuffix)
  expect(valuesOf()).toEqual(expected)
  const snapshot = await world.snapshot()
  snapshot.records.tokens[0]!.token = 'restored~w3-0123456789abcdef'
  await world.command({ type: 'snapshot.restore', snapshot })
  expect(valuesOf()).toEqual([`restored${tokenSuffix}`, ...expected.slice(1)])
})

function toEntry(
  step: Step,
  { earlier, live: { world } }: { earlier: Snapshot | undefined; live: DrivenWorld },
): Record<string, unknown> {
  if ('endOf' in step) {
    const after = world.journal.sequence
    const sequence = after - step.endOf
    const arrived_ms = world.journal.recordedAt(sequence)?.atMs ?? 0
    const end = { sequence, arrived_ms, after, ended_ms: arrived_ms + step.tookMs }
    return { end: { ...end, ...(step.isAborted && { aborted: true }) } }
  }
  if ('change' in step || 'request' in step) return step
  if ('clock' in step) return { change: { move_clock: step.clock } }
  if ('command' in step) return { change: { command: step.command } }
  return { change: { command: { type: 'snapshot.restore', snapshot: earlier } } }
}

type Step =
  | Exclude<RandomStep, { passMs: number }>
  | { change: Change }
  | { endOf: number; tookMs: number; isAborted: boolean }
