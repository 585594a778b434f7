import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Generate } from '../../src/records/generation/generate.ts'
import { clampToYears, LATEST_MS, toDateTime } from '../../src/contract/time.ts'
import { resolvePolicies } from '../../src/contract/policies.ts'
import { ProjectRecord } from '../../src/contract/project.ts'
import type { RecordSet } from '../../src/contract/records.ts'
import { ReportRecord } from '../../src/contract/report.ts'
import { DEFAULT_RATE_LIMITS } from '../../src/contract/limits.ts'
import { TokenRecord } from '../../src/contract/token.ts'
import { Clock } from '../../src/world/clocks.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { Explanation } from '../../src/contract/explanation.ts'
import { createSandbox } from '../../src/index.ts'
import { createGenerator } from '../../src/records/generation/generator.ts'
import { Indexes } from '../../src/records/indexes.ts'
import { ReportProgress } from '../../src/records/report-progress.ts'
import { createMomentResolver } from '../../src/records/moment-resolver.ts'
import { Records } from '../../src/records/world-records.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import { AGENCY, aProject, aReport, aToken } from '../support/worlds.ts'

type ReportInput = Parameters<typeof aReport>[0]

const ENDPOINTS = [
  ['latest', '/reports/latest'],
  ['last_generated', '/reports/last-generated'],
] as const

type Explained = (typeof ENDPOINTS)[number][0]

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** One project of a world, with its clock. */
class World {
  readonly engine: Engine
  readonly #clock: Clock
  readonly #project: number

  constructor(
    records: Indexes,
    {
      clock,
      policies = {},
      project = 1,
    }: { clock: Clock; policies?: Record<string, string>; project?: number },
  ) {
    this.#clock = clock
    this.#project = project
    this.engine = new Engine({
      records,
      clock,
      policies: resolvePolicies(policies),
      rateLimits: DEFAULT_RATE_LIMITS,
    })
  }

  get nowMs(): number {
    return this.#clock.worldMs()
  }

  goTo(ms: number): void {
    this.#clock.set(toDateTime(ms))
  }

  explain({ atMs = this.nowMs, changes = 0 } = {}): Explanation {
    const explanation = this.engine.explain(this.#project, { atMs, changes })
    if (!explanation) throw new Error(`There is no project ${this.#project}.`)
    return explanation
  }

  /** The `data` of a response as text; undefined for a 404. */
  read(path: string): string | undefined {
    const { status, body } = this.engine.answer({
      method: 'GET',
      path: `/api/v1/projects/${this.#project}${path}`,
      query: '',
      header: (name) => (name === 'authorization' ? `Bearer ${AGENCY}` : undefined),
      clientIp: '127.0.0.1',
      origin: 'http://localhost',
    })
    if (status === 404) return undefined
    if (status !== 200) throw new Error(`${path} is ${status}.`)
    const { data } = JSON.parse(new TextDecoder().decode(body)) as { data: unknown }
    return JSON.stringify(data)
  }

  readAt(ms: number, path: string): string | undefined {
    this.goTo(ms)
    return this.read(path)
  }
}

function idOf(data: string | null | undefined): number | undefined {
  return data === undefined || data === null ? undefined : (JSON.parse(data) as { id: number }).id
}

function toReports(reports: ReportInput[]): ReportRecord[] {
  const { resolve } = createMomentResolver(0)
  return reports.map((report) =>
    resolve('reports', ReportRecord.parse({ project: 1, ...aReport(report) })),
  )
}

const TOKEN = TokenRecord.parse(aToken({ id: 1, token: AGENCY, agency: null }))
const PROJECT = ProjectRecord.parse(aProject({ id: 1 }))

/** A world whose project 1 has these reports, which do not progress. */
function openWorld(
  reports: ReportInput[],
  { now, policies = {} }: { now: string; policies?: Record<string, string> },
): { world: World; records: Indexes } {
  const records = new Indexes()
  records.put('tokens', TOKEN)
  records.put('projects', PROJECT)
  for (const report of toReports(reports)) records.put('reports', report)
  const clock = new Clock(() => 0)
  clock.set(now)
  return { world: new World(records, { clock, policies }), records }
}

describe('the reason for each report', () => {
  const NOW = '2026-03-15T12:00:00Z'

  /** The explanation of an endpoint, with each report by its number. */
  function reasonsOf(
    name: Explained,
    reports: ReportInput[],
    policies: Record<string, string> = {},
  ): { rule: string; reasons: string[] } {
    const { world } = openWorld(reports, { now: NOW, policies })
    const { rule, candidates } = world.explain()[name]
    return {
      rule,
      reasons: candidates.map(({ report, reason }) => `${report.report_number}: ${reason}`),
    }
  }

  const completed = (id: number, date: string | null, changes: Partial<ReportInput> = {}) => ({
    id,
    status: 'completed' as const,
    date_to_create_texts: date,
    ...changes,
  })
  const pending = (id: number, date: string | null) => ({ id, date_to_create_texts: date })

  interface Reasons {
    about: string
    reports: ReportInput[]
    policies?: Record<string, string>
    rule: string
    reasons: string[]
  }

  /** Titles for rows: Vitest cuts a long `$about`, but not the `%s` of a row. */
  const byTitle = (cases: Reasons[]) => cases.map((each): [string, Reasons] => [each.about, each])

  const LATEST: Reasons[] = [
    {
      about: '4.5(1) a completed report of this month comes before all others (T4)',
      reports: [
        completed(1, '2026-02-28'),
        completed(2, '2026-03-05'),
        completed(3, '2026-03-20'),
        completed(4, null),
        { id: 5, status: 'running', date_to_create_texts: '2026-02-01' },
        { id: 6, status: 'failed', date_to_create_texts: null },
      ],
      rule: '4.5(1)',
      reasons: [
        '3: It is completed, and its date 2026-03-20 is the latest in March 2026.',
        '2: Report 3 has a later date, 2026-03-20.',
        '1: Its date 2026-02-28 is not in March 2026.',
        '4: It has no date, and so none in March 2026.',
        '5: It is not completed (running), and rule 4.5(1) found one that is.',
        '6: It is not completed (failed), and rule 4.5(1) found one that is.',
      ],
    },
    {
      about: '4.5 only project-level reports of the regular action type',
      reports: [
        completed(1, '2026-03-20', { level: 'keyword' }),
        completed(2, '2026-03-20', { action_type: 'extra' }),
        completed(3, '2026-03-01'),
      ],
      rule: '4.5(1)',
      reasons: [
        '3: It is completed, and its date 2026-03-01 is the latest in March 2026.',
        '1: Its level is "keyword"; only project-level reports count.',
        '2: Its action type is "extra"; only regular reports count.',
      ],
    },
    {
      about: 'G-072 the month of a time zone, which is named',
      policies: { 'month-time-zone': 'Europe/Copenhagen' },
      reports: [completed(1, '2026-03-20'), completed(2, '2026-04-01')],
      rule: '4.5(1)',
      reasons: [
        '1: It is completed, and its date 2026-03-20 is the latest in March 2026 (Europe/Copenhagen, G-072).',
        '2: Its date 2026-04-01 is not in March 2026 (Europe/Copenhagen, G-072).',
      ],
    },
    {
      about: 'G-073 completed reports of the same date, by id',
      reports: [
        completed(1, '2026-03-20', { report_number: 9 }),
        completed(2, '2026-03-20', { report_number: 8 }),
      ],
      rule: '4.5(1)',
      reasons: [
        '8: It is completed, and its date 2026-03-20 is the latest in March 2026.',
        '9: Report 8 has the same date and a higher id, 2 (G-073).',
      ],
    },
    {
      about: 'G-073 completed reports of the same date, by number',
      policies: { 'completed-tie': 'number' },
      reports: [
        completed(1, '2026-03-20', { report_number: 9 }),
        completed(2, '2026-03-20', { report_number: 8 }),
      ],
      rule: '4.5(1)',
      reasons: [
        '9: It is completed, and its date 2026-03-20 is the latest in March 2026.',
        '8: Report 9 has the same date and a higher number (completed-tie: number, G-073).',
      ],
    },
    {
      about: '4.5(2) the earliest date, past or future',
      reports: [
        completed(1, '2026-02-28'),
        pending(2, '2026-04-01'),
        { id: 3, status: 'running', date_to_create_texts: '2026-01-31' },
        { id: 4, status: 'failed', date_to_create_texts: '2026-03-01' },
      ],
      rule: '4.5(2)',
      reasons: [
        '3: No completed report is dated in March 2026, and its date 2026-01-31 is the earliest of those not completed.',
        '4: Report 3 has an earlier date, 2026-01-31.',
        '2: Report 3 has an earlier date, 2026-01-31.',
        '1: Its date 2026-02-28 is not in March 2026.',
      ],
    },
    {
      about: 'G-074 open reports of the same date',
      reports: [pending(1, '2026-04-01'), pending(2, '2026-04-01')],
      rule: '4.5(2)',
      reasons: [
        '1: No completed report is dated in March 2026, and its date 2026-04-01 is the earliest of those not completed.',
        '2: Report 1 has the same date and a lower id, 1 (G-074).',
      ],
    },
    {
      about: 'G-075 open reports without a date are excluded',
      reports: [pending(1, null), pending(2, '2026-04-01')],
      rule: '4.5(2)',
      reasons: [
        '2: No completed report is dated in March 2026, and its date 2026-04-01 is the earliest of those not completed.',
        '1: It is not completed (pending), but has no date (undated-reports: excluded, G-075).',
      ],
    },
    {
      about: 'G-075 open reports without a date come first',
      policies: { 'undated-reports': 'first' },
      reports: [pending(1, '2026-04-01'), pending(2, null), pending(3, null)],
      rule: '4.5(2)',
      reasons: [
        '2: No completed report is dated in March 2026, and it comes first of those not completed, without a date (undated-reports: first, G-075).',
        '3: Report 2 has no date either and a lower id, 2 (G-074).',
        '1: Report 2 has no date and comes first (undated-reports: first, G-075).',
      ],
    },
    {
      about: 'G-075 open reports without a date come last',
      policies: { 'undated-reports': 'last' },
      reports: [pending(1, null), pending(2, '2026-04-01')],
      rule: '4.5(2)',
      reasons: [
        '2: No completed report is dated in March 2026, and its date 2026-04-01 is the earliest of those not completed.',
        '1: It has no date and comes last (undated-reports: last, G-075).',
      ],
    },
    {
      about: '4.5(3) no report remains',
      reports: [
        completed(1, '2026-02-28'),
        pending(2, null),
        { ...pending(3, '2026-03-01'), action_type: 'extra' },
      ],
      rule: '4.5(3)',
      reasons: [
        '1: Its date 2026-02-28 is not in March 2026.',
        '2: It is not completed (pending), but has no date (undated-reports: excluded, G-075).',
        '3: Its action type is "extra"; only regular reports count.',
      ],
    },
    { about: '4.5(3) there are no reports', reports: [], rule: '4.5(3)', reasons: [] },
  ]

  test.each(byTitle(LATEST))('%s: latest', (_, { reports, policies, rule, reasons }) => {
    expect(reasonsOf('latest', reports, policies)).toEqual({ rule, reasons })
  })

  const created = (id: number, created_at: string, changes: Partial<ReportInput> = {}) =>
    completed(id, null, { created_at, ...changes })

  const LAST_GENERATED: Reasons[] = [
    {
      about: '4.6 the completed report that was created last',
      reports: [
        created(1, '2026-01-01T00:00:00.000001Z'),
        created(2, '2026-01-01T00:00:00Z'),
        { id: 3, status: 'running', created_at: '2026-02-01T00:00:00Z' },
        created(4, '2026-02-01T00:00:00Z', { level: 'keyword' }),
      ],
      rule: '4.6',
      reasons: [
        '1: It is the completed report that was created last, at 2026-01-01T00:00:00.000001Z.',
        '2: Report 1 was created later, at 2026-01-01T00:00:00.000001Z.',
        '3: It is not completed (running).',
        '4: Its level is "keyword"; only project-level reports count.',
      ],
    },
    {
      about: 'G-076 completed reports that were created at the same time',
      reports: [created(1, '2026-01-01T00:00:00Z'), created(2, '2026-01-01T00:00:00Z')],
      rule: '4.6',
      reasons: [
        '2: It is the completed report that was created last, at 2026-01-01T00:00:00.000000Z.',
        '1: Report 2 was created at the same time and has a higher id, 2 (G-076).',
      ],
    },
    {
      about: 'G-077 a report of another action type',
      reports: [created(1, '2026-01-01T00:00:00Z', { action_type: 'extra' })],
      rule: '4.6',
      reasons: [
        '1: It is the completed report that was created last, at 2026-01-01T00:00:00.000000Z, of whatever action type (G-077).',
      ],
    },
    {
      about: '4.6 no completed report',
      reports: [pending(1, '2026-03-01')],
      rule: '4.6',
      reasons: ['1: It is not completed (pending).'],
    },
  ]

  test.each(byTitle(LAST_GENERATED))(
    '%s: last-generated',
    (_, { reports, policies, rule, reasons }) => {
      expect(reasonsOf('last_generated', reports, policies)).toEqual({ rule, reasons })
    },
  )
})

/**
 * Checks that the responses now and at the announced moment are the explained ones, and that the response at this share of the
 * time between them, and in its last millisecond, is still the current one.
 */
function checkAnnounced(world: World, share: number): Explanation {
  const { nowMs } = world
  const explanation = world.explain()
  for (const [name, path] of ENDPOINTS) {
    const { selected, candidates, next_change: next } = explanation[name]
    const shown = world.read(path)
    const winners = candidates.filter(({ is_selected }) => is_selected)
    const untilMs = next ? Date.parse(next.at) - 1 : LATEST_MS
    const between = world.readAt(nowMs + Math.floor((untilMs - nowMs) * share), path)
    const before = world.readAt(untilMs, path)
    const changed = next && world.readAt(untilMs + 1, path)
    world.goTo(nowMs)

    expect({
      winner: idOf(shown),
      winners: winners.map(({ report }) => report.id),
      between,
      before,
      isChanged: next && changed !== shown,
      nextWinner: next && idOf(changed),
    }).toEqual({
      winner: selected?.id,
      winners: selected ? [selected.id] : [],
      between: shown,
      before: shown,
      isChanged: next && true,
      nextWinner: next && next.selected?.id,
    })
  }
  return explanation
}

const ZONES = [
  'UTC',
  'Europe/Copenhagen',
  'Europe/Lisbon',
  'Europe/Dublin',
  'Europe/Moscow',
  'Europe/Istanbul',
]

function startOfMonth(year: number, month: number): number {
  const start = new Date(0)
  return start.setUTCFullYear(year, month, 1)
}

function toDay(ms: number): string {
  return toDateTime(clampToYears(ms)).slice(0, 10)
}

/** Times near the edge of a month in any zone, and days near that month. */
const calendars = fc
  .oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        year: fc.constantFrom(2024, 2025, 2026, 2026, 1981, 1900, 9999),
        month: fc.integer({ min: 0, max: 12 }),
        distanceMs: fc.oneof(
          fc.constantFrom(-1, 0, 1, -MINUTE_MS, MINUTE_MS - 1),
          fc.integer({ min: -4 * 60, max: 4 * 60 }).map((minutes) => minutes * MINUTE_MS),
          fc.integer({ min: -DAY_MS * 31, max: DAY_MS * 31 }),
        ),
      }),
    },
    // The last month, which never ends.
    {
      weight: 1,
      arbitrary: fc.record({
        year: fc.constant(9999),
        month: fc.constant(11),
        distanceMs: fc.integer({ min: 0, max: DAY_MS * 30 }),
      }),
    },
  )
  .map(({ year, month, distanceMs }) => ({
    nowMs: clampToYears(startOfMonth(year, month) + distanceMs),
    days: [-2, -1, 0, 1, 2].flatMap((ahead) => {
      const start = startOfMonth(year, month + ahead)
      return [toDay(start), toDay(start + 14 * DAY_MS), toDay(start - 1)]
    }),
  }))

function rowsOn(days: readonly string[], maxLength: number): fc.Arbitrary<ReportInput[]> {
  const row = fc.record({
    id: fc.integer({ min: 1, max: 99 }),
    status: fc.constantFrom('pending', 'running', 'completed', 'completed', 'failed'),
    level: fc.constantFrom('project', 'project', 'project', 'keyword'),
    action_type: fc.constantFrom('regular', 'regular', 'regular', 'extra'),
    date_to_create_texts: fc.constantFrom(null, ...days),
    created_at: fc.constantFrom(
      '2026-01-01T00:00:00.000000Z',
      '2026-01-01T00:00:00.000001Z',
      '2026-02-01T00:00:00.000000Z',
    ),
  })
  return fc
    .uniqueArray(row, { selector: ({ id }) => id, maxLength })
    .chain((rows) => fc.shuffledSubarray(rows, { minLength: rows.length }))
    .map((rows) => rows.map((each, index) => ({ ...each, report_number: index + 1 })))
}

function removeReports(records: Indexes): void {
  for (const report of records.reportsOf(1).slice()) records.remove('reports', report)
}

const situations = calendars.chain(({ nowMs, days }) =>
  fc.record({
    now: fc.constant(toDateTime(nowMs)),
    // Few reports, more often than a drawn length gives: then there may be no report to show.
    reports: fc.oneof(rowsOn(days, 2), rowsOn(days, 9)),
    /** Reports changed immediately, not to be shown before the next refresh. */
    changed: fc.option(fc.oneof(rowsOn(days, 2), rowsOn(days, 9)), { freq: 3, nil: undefined }),
    /** True if all other reports are removed. */
    replacesAll: fc.boolean(),
    zone: fc.constantFrom(...ZONES),
    tie: fc.constantFrom('higher-id', 'number'),
    undated: fc.constantFrom('excluded', 'first', 'last'),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)

test("in any world the winner is the endpoint's response, which changes at the announced moment and not a millisecond earlier", () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(situations, ({ now, reports, changed, replacesAll, zone, tie, undated, share }) => {
      const { world, records } = openWorld(reports, {
        now,
        policies: {
          'month-time-zone': zone,
          'completed-tie': tie,
          'undated-reports': undated,
          'data-refresh': changed ? 'stale' : 'fresh',
        },
      })
      if (changed) {
        world.engine.staleView.keep()
        if (replacesAll) removeReports(records)
        for (const report of toReports(changed)) records.put('reports', report)
      }
      const { latest, last_generated } = checkAnnounced(world, share)
      for (const { rule, selected, next_change: next } of [latest, last_generated]) {
        const change = next ? (changed ? 'refresh' : 'month') : 'none'
        seen.add(`${rule} ${selected ? 'found' : '404'}, ${change}`)
      }
    }),
    { numRuns: runs(5000, 100) },
  )
  // Fewer runs might not come across every outcome below.
  if (!isFullDepth) return
  expect([...seen].toSorted()).toEqual([
    '4.5(1) found, month',
    '4.5(1) found, none',
    '4.5(1) found, refresh',
    '4.5(2) found, month',
    '4.5(2) found, none',
    '4.5(2) found, refresh',
    '4.5(3) 404, month',
    '4.5(3) 404, none',
    '4.5(3) 404, refresh',
    '4.6 404, none',
    '4.6 404, refresh',
    '4.6 found, none',
    '4.6 found, refresh',
  ])
})

const NOTHING: RecordSet = {
  agencies: [],
  countries: [],
  languages: [],
  users: [],
  tokens: [TOKEN],
  projects: [],
  keywords: [],
  reports: [],
}

/** Starts a clock and the progress of reports at a time. */
function startMoving(now: string) {
  const clock = new Clock(() => 0)
  const loadedMs = clock.set(now)
  const progress = new ReportProgress({
    progress: { mode: 'time', reads: 1 },
    seed: '1',
    loadedMs,
    clock,
  })
  return { clock, progress, loadedMs }
}

/** Reports of a fixture that progress with time. */
async function openMovingWorld(reports: ReportInput[], now: string, zone: string): Promise<World> {
  const { clock, progress, loadedMs } = startMoving(now)
  const records = new Records()
  records.moveReports(progress)
  records.load({ ...NOTHING, projects: [PROJECT], reports: toReports(reports) }, loadedMs)
  return new World(records.indexes, { clock, policies: { 'month-time-zone': zone } })
}

const GENERATED = 20

/** One project of a generated world. */
async function openGeneratedWorld(project: number, now: string, zone: string): Promise<World> {
  const { clock, progress, loadedMs } = startMoving(now)
  const { records: written, generator } = await createGenerator(NOTHING, {
    seed: '1',
    generate: Generate.parse({ projects: GENERATED }),
    loadedMs,
    progress,
  })
  const records = new Records()
  records.moveReports(progress)
  records.load(written, loadedMs)
  records.indexes.generate(generator)
  return new World(records.indexes, { clock, policies: { 'month-time-zone': zone }, project })
}

type Other = Explanation[Explained]['next_selection']

/**
 * Follows the announced moments for some months: at each, and just before it, the response is as explained, and at any other
 * time it is the response of the last change.
 *
 * @returns The number of changes of the responses.
 */
function followAnnouncements(world: World, times: readonly number[]): number {
  const startMs = world.nowMs
  const endMs = clampToYears(startMs + 400 * DAY_MS)
  let changes = 0
  for (const [name, path] of ENDPOINTS) {
    const answers: { fromMs: number; data: string | undefined; other: Other }[] = []
    for (let fromMs = startMs; fromMs <= endMs; changes += 1) {
      const data = world.readAt(fromMs, path)
      const explained = world.explain()[name]
      const { selected, next_change: next, next_selection: other } = explained
      answers.push({ fromMs, data, other })
      expect(explained.data && JSON.stringify(explained.data)).toBe(data ?? null)
      expect(idOf(data)).toBe(selected?.id)
      if (!next) break
      fromMs = Date.parse(next.at)
      expect(world.readAt(fromMs - 1, path)).toBe(answers.at(-1)?.data)
      expect(world.readAt(fromMs, path)).not.toBe(answers.at(-1)?.data)
      expect(idOf(world.read(path))).toBe(next.selected?.id)
    }
    for (const [index, { data, other }] of answers.entries()) {
      const next = answers.slice(index).find((answer) => idOf(answer.data) !== idOf(data))
      // The followed period ends before a change that is announced for later.
      const announced = other && Date.parse(other.at) <= endMs ? other : undefined
      expect(announced && Date.parse(announced.at)).toBe(next?.fromMs)
      expect(announced?.selected?.id).toBe(idOf(next?.data))
    }
    const moments = times.map((share) => startMs + Math.floor((endMs - startMs) * share))
    expect(moments.map((ms) => world.readAt(ms, path))).toEqual(
      moments.map((ms) => answers.findLast(({ fromMs }) => fromMs <= ms)?.data),
    )
    world.goTo(startMs)
  }
  return changes
}

describe('if reports progress with time, no change is unannounced', () => {
  const times = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
    minLength: 60,
    maxLength: 60,
  })

  test('in worlds from fixtures', async () => {
    let changes = 0
    const worlds = calendars.chain(({ nowMs, days }) =>
      fc.record({
        now: fc.constant(toDateTime(nowMs)),
        reports: rowsOn(days, 8),
        zone: fc.constantFrom(...ZONES),
        times,
      }),
    )
    await fc.assert(
      fc.asyncProperty(worlds, async ({ now, reports, zone, times: shares }) => {
        changes += followAnnouncements(await openMovingWorld(reports, now, zone), shares)
      }),
      { numRuns: runs(100) },
    )
    // Otherwise the property would test nothing.
    expect(changes).toBeGreaterThan(0)
  })

  test('in generated worlds', async () => {
    let changes = 0
    const worlds = fc.record({
      project: fc.integer({ min: 1001, max: 1000 + GENERATED }),
      nowMs: fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2027, 0) }),
      zone: fc.constantFrom(...ZONES),
      times,
    })
    await fc.assert(
      fc.asyncProperty(worlds, async ({ project, nowMs, zone, times: shares }) => {
        const world = await openGeneratedWorld(project, toDateTime(nowMs), zone)
        changes += followAnnouncements(world, shares)
      }),
      { numRuns: runs(8, 2) },
    )
    expect(changes).toBeGreaterThan(25 * runs(8, 2))
  })
})

describe('an explanation', () => {
  test('is plain JSON, with a moment that the clock can be set to', () => {
    const report: ReportInput = { id: 7, status: 'completed', date_to_create_texts: '2026-03-20' }
    const { world } = openWorld([report], { now: '2026-03-15T12:00:00.5Z' })
    const summary = {
      id: 7,
      report_number: 7,
      status: 'completed',
      date_to_create_texts: '2026-03-20',
      created_at: '2026-01-01T00:00:00.000000Z',
      level: 'project',
      action_type: 'regular',
    }
    const data: unknown = JSON.parse(world.read('/reports/latest') ?? '')
    expect(data).toMatchObject({ id: 7, project_id: 1, pdf_link: null })
    expect(JSON.parse(JSON.stringify(world.explain()))).toEqual({
      project: 1,
      wait: null,
      now: '2026-03-15T12:00:00.500000Z',
      at: '2026-03-15T12:00:00.500000Z',
      latest: {
        rule: '4.5(1)',
        selected: summary,
        data,
        candidates: [
          {
            report: summary,
            is_selected: true,
            section: '4.5(1)',
            reason: 'It is completed, and its date 2026-03-20 is the latest in March 2026.',
          },
        ],
        next_change: { at: '2026-04-01T00:00:00.000000Z', selected: null },
        next_selection: { at: '2026-04-01T00:00:00.000000Z', selected: null },
      },
      last_generated: {
        rule: '4.6',
        selected: summary,
        data,
        candidates: [
          {
            report: summary,
            is_selected: true,
            section: '4.6',
            reason:
              'It is the completed report that was created last, at 2026-01-01T00:00:00.000000Z.',
          },
        ],
        next_change: null,
        next_selection: null,
      },
      changes: [],
    })
  })

  test('of an unknown project is undefined', () => {
    const { world } = openWorld([], { now: '2026-03-15T12:00:00Z' })
    expect(world.engine.explain(2, { atMs: world.nowMs, changes: 0 })).toBeUndefined()
  })

  test('G-058 covers the data as shown: a change that waits for the refresh is announced for that moment', () => {
    const { world, records } = openWorld([{ id: 1, date_to_create_texts: '2026-03-20' }], {
      now: '2026-03-15T12:00:20Z',
      policies: { 'data-refresh': 'stale' },
    })
    world.engine.staleView.keep()
    records.remove('projects', PROJECT)
    removeReports(records)
    expect(world.explain().latest).toMatchObject({
      rule: '4.5(2)',
      selected: { id: 1 },
      next_change: { at: '2026-03-15T12:01:00.000000Z', selected: null },
    })
    world.goTo(Date.parse('2026-03-15T12:01:00Z'))
    expect(world.engine.explain(1, { atMs: world.nowMs, changes: 0 })).toBeUndefined()
  })
})

/** The state of a project after some of its announced changes. */
function stateAfter(first: Explanation, changes: Explanation['changes']) {
  const reports = new Map(
    first.latest.candidates.map(({ report: { id, status } }) => [id, status] as const),
  )
  for (const change of changes) {
    for (const { id, status } of change.reports) reports.set(id, status)
    for (const id of change.removed) reports.delete(id)
  }
  const { latest, last_generated } = changes.at(-1) ?? {
    latest: first.latest.selected?.id ?? null,
    last_generated: first.last_generated.selected?.id ?? null,
  }
  return { reports: [...reports].toSorted(([one], [other]) => one - other), latest, last_generated }
}

describe('an explanation of another time', () => {
  const worlds = fc.record({
    project: fc.integer({ min: 1001, max: 1000 + GENERATED }),
    nowMs: fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2027, 0) }),
    zone: fc.constantFrom(...ZONES),
    days: fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 6, maxLength: 6 }),
  })

  test('is the one that the clock would lead to, before the present too, and moves nothing', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ project, nowMs, zone, days }) => {
        const world = await openGeneratedWorld(project, toDateTime(nowMs), zone)
        for (const day of days) {
          const atMs = nowMs + day * DAY_MS
          const { now, ...preview } = world.explain({ atMs, changes: 3 })
          expect(now).toBe(toDateTime(nowMs))
          expect(world.nowMs).toBe(nowMs)
          world.goTo(atMs)
          expect(world.explain({ changes: 3 })).toEqual({ now: toDateTime(atMs), ...preview })
          world.goTo(nowMs)
        }
      }),
      { numRuns: runs(8, 3) },
    )
  })

  test('lists the next changes, which together lead to every later state', async () => {
    let seen = 0
    await fc.assert(
      fc.asyncProperty(worlds, async ({ project, nowMs, zone, days }) => {
        const world = await openGeneratedWorld(project, toDateTime(nowMs), zone)
        const first = world.explain({ atMs: nowMs - 400 * DAY_MS, changes: 500 })
        seen += first.changes.length
        const times = first.changes.map(({ at }) => Date.parse(at))
        expect(times).toEqual(times.toSorted((one, other) => one - other))
        for (const day of days) {
          const atMs = nowMs + day * DAY_MS
          const passed = first.changes.filter(({ at }) => Date.parse(at) <= atMs)
          const then = world.explain({ atMs })
          expect(stateAfter(first, passed)).toEqual(stateAfter(then, []))
        }
      }),
      { numRuns: runs(8, 3) },
    )
    expect(seen).toBeGreaterThan(400)
  })

  test('in a world whose reports do not move with time only changes the month', () => {
    const { world } = openWorld(
      [
        { id: 1, status: 'completed', date_to_create_texts: '2026-03-20' },
        { id: 2, status: 'running', date_to_create_texts: '2026-04-02' },
      ],
      { now: '2026-03-15T12:00:00Z' },
    )
    const before = world.explain({ atMs: Date.parse('2026-02-10'), changes: 9 })
    expect(before).toMatchObject({
      now: '2026-03-15T12:00:00.000000Z',
      at: '2026-02-10T00:00:00.000000Z',
      latest: { rule: '4.5(2)', selected: { id: 2, status: 'running' } },
    })
    expect(before.changes).toEqual([
      {
        at: '2026-03-01T00:00:00.000000Z',
        reports: [],
        removed: [],
        latest: 1,
        last_generated: 1,
      },
      {
        at: '2026-04-01T00:00:00.000000Z',
        reports: [],
        removed: [],
        latest: 2,
        last_generated: 1,
      },
    ])
  })

  test('G-058 shows what waits for the refresh only in its own minute', () => {
    const { world, records } = openWorld([{ id: 1, date_to_create_texts: '2026-03-20' }], {
      now: '2026-03-15T12:00:20Z',
      policies: { 'data-refresh': 'stale' },
    })
    world.engine.staleView.keep()
    removeReports(records)
    const selectedIn = (minutes: number) =>
      world.explain({ atMs: world.nowMs + minutes * MINUTE_MS }).latest.selected?.id
    expect([-1, 0, 1].map(selectedIn)).toEqual([undefined, 1, undefined])
  })

  test('is asked for by a date, a Date or a time relative to the clock; anything else is refused', async () => {
    const sandbox = await createSandbox({ frozen: true })
    const at = new Date('2026-04-01')
    expect(sandbox.explain(101, { at })).toEqual(sandbox.explain(101, { at: '2026-04-01' }))
    expect(sandbox.explain(101, { at: 'now' })).toEqual(sandbox.explain(101))
    expect(() => sandbox.explain(101, { at: 'tomorrow' })).toThrow(
      expect.objectContaining({ code: 'invalid_command' }),
    )
    expect(() => sandbox.explain(101, { changes: -1 })).toThrow(
      expect.objectContaining({ code: 'invalid_command' }),
    )
  })
})
