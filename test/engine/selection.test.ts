import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { resolvePolicies } from '../../src/contract/policies.ts'
import type { ReadPolicy } from '../../src/contract/policies.ts'
import { ReportRecord } from '../../src/contract/report.ts'
import { selectLastGenerated, selectLatest } from '../../src/engine/selection.ts'
import { lastGeneratedBySpecification, latestBySpecification } from '../support/rules.ts'
import type { Row } from '../support/rules.ts'
import { openFetch } from '../support/transports.ts'
import type { Client } from '../support/transports.ts'
import { AGENCY, aReport, withReports } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

const DEFAULTS = resolvePolicies()
const byDefault: ReadPolicy = (name) => DEFAULTS[name]

const DAY_MS = 86_400_000

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Any moment in four years, often the first or last millisecond of a month. */
const moments = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 47 }), fc.integer({ min: -1, max: 0 }))
    .map(([month, ms]) => Date.UTC(2024, month, 1) + ms),
  fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) }),
)

/** Days around a moment: the edges of its month, nearby days, a year away, or none. */
function daysAround(nowMs: number): fc.Arbitrary<string | null> {
  const [year, month] = [new Date(nowMs).getUTCFullYear(), new Date(nowMs).getUTCMonth()]
  return fc.oneof(
    fc.constantFrom(-1, 0, 1, 2).map((ahead) => toDay(Date.UTC(year, month + ahead, 1))),
    fc.constantFrom(-1, 0, 1, 2).map((ahead) => toDay(Date.UTC(year, month + ahead, 0))),
    fc.integer({ min: -70, max: 70 }).map((days) => toDay(nowMs + days * DAY_MS)),
    fc.constantFrom(-1, 1).map((years) => toDay(Date.UTC(year + years, month, 15))),
    fc.constant(null),
  )
}

function rowsAround(nowMs: number, maxLength: number): fc.Arbitrary<Row[]> {
  const row = fc.record<Row>({
    id: fc.integer({ min: 1, max: 999 }),
    status: fc.constantFrom('pending', 'running', 'completed', 'failed'),
    level: fc.constantFrom('project', 'project', 'project', 'keyword'),
    action_type: fc.constantFrom('regular', 'regular', 'regular', 'extra'),
    date_to_create_texts: daysAround(nowMs),
    created_at: fc.constantFrom(
      '2025-12-31T23:59:59.999999Z',
      '2026-01-01T00:00:00.000000Z',
      '2026-01-01T00:00:00.000001Z',
      '2026-01-01T00:00:00.001000Z',
      '2026-02-01T00:00:00.000000Z',
    ),
  })
  return fc.uniqueArray(row, { selector: ({ id }) => id, maxLength })
}

/** A moment, and reports in any order. */
function situations(maxLength: number): fc.Arbitrary<{ nowMs: number; rows: Row[] }> {
  return moments.chain((nowMs) => rowsAround(nowMs, maxLength).map((rows) => ({ nowMs, rows })))
}

function toRecords(rows: Row[]): ReportRecord[] {
  return rows.map((row) => ReportRecord.parse({ project: 1, report_number: 1, ...row }))
}

describe('selection compared with a transcription of the rules', () => {
  test('4.5 latest follows the three rules, for any reports at any time', () => {
    const rules = new Set<string>()
    fc.assert(
      fc.property(situations(30), ({ nowMs, rows }) => {
        const { rule, id } = latestBySpecification(rows, nowMs)
        rules.add(rule)
        expect(selectLatest(toRecords(rows), nowMs, byDefault).selected?.id).toBe(id)
      }),
      { numRuns: 500 },
    )
    expect(rules).toEqual(new Set(['4.5(1)', '4.5(2)', '4.5(3)']))
  })

  test('4.6 last-generated is the completed report that was created last, for any reports', () => {
    fc.assert(
      fc.property(situations(30), ({ rows }) => {
        expect(selectLastGenerated(toRecords(rows)).selected?.id).toBe(
          lastGeneratedBySpecification(rows),
        )
      }),
      { numRuns: runs(500) },
    )
  })
})

function get(client: Client, path: string) {
  return client.send({ path, token: AGENCY })
}

/** A world at a time, with its reports numbered in order. */
function worldOf(rows: Row[], nowMs: number) {
  const reports = rows.map((row, index) => aReport({ ...row, report_number: index + 1 }))
  return withReports(reports, { now: new Date(nowMs).toISOString() })
}

test('2.4(1), 2.4(2), 2.5 the four latest_report fields match latest, in the list and in the single project, or are null together, exactly when that is 404 (T7)', async () => {
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(situations(8), async ({ nowMs, rows }) => {
      await using client = await openFetch({ fixtures: worldOf(rows, nowMs) })
      const latest = await get(client, '/projects/1/reports/latest')
      statuses.add(latest.status)
      const row = latest.status === 200 ? latest.body.data : undefined
      const fields = {
        latest_report_generated_at: rows.find(({ id }) => id === row?.id)?.created_at ?? null,
        latest_report_id: row?.id ?? null,
        latest_report_number: row?.report_number ?? null,
        latest_report_status: row?.status ?? null,
      }
      expect(latest.status).toBe(latestBySpecification(rows, nowMs).id === undefined ? 404 : 200)
      expect((await get(client, '/projects')).body.data).toMatchObject([fields])
      expect((await get(client, '/projects/1')).body.data).toMatchObject(fields)
    }),
    { numRuns: runs(150, 30) },
  )
  expect(statuses).toEqual(new Set([200, 404]))
})

describe('month edges', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  /** UTC, and a zone far on each side of it, for which the edges of the month can be in a different month. */
  const ZONES: [zone: string, offsetMinutes: number][] = [
    ['UTC', 0],
    ['Pacific/Kiritimati', -14 * 60],
    ['Pacific/Pago_Pago', 11 * 60],
  ]

  const EDGES: [now: string, expected: number][] = [
    ['2024-02-29T23:59:59.999Z', 2],
    ['2024-03-01T00:00:00.000Z', 3],
    ['2024-03-31T23:59:59.999Z', 3],
    ['2024-04-01T00:00:00.000Z', 4],
    ['2024-11-30T23:59:59.999Z', 11],
    ['2024-12-01T00:00:00.000Z', 12],
    ['2024-12-31T23:59:59.999Z', 12],
    ['2025-01-01T00:00:00.000Z', 404],
  ]

  /**
   * A completed report on the last day of each month of 2024, with the month as its number and id.
   */
  const MONTHLY = withReports(
    Array.from({ length: 12 }, (_, month) =>
      aReport({
        id: month + 1,
        status: 'completed',
        date_to_create_texts: toDay(Date.UTC(2024, month + 1, 0)),
      }),
    ),
  )

  test.each(ZONES)(
    '4.5 the month is the UTC month at its first and last millisecond, with TZ=%s (T27)',
    async (zone, offsetMinutes) => {
      vi.stubEnv('TZ', zone)
      expect(new Date('2024-06-01T00:00:00Z').getTimezoneOffset()).toBe(offsetMinutes)
      await using client = await openFetch({ fixtures: MONTHLY })
      const seen = []
      for (const [now] of EDGES) {
        await client.sandbox.clock.set(now)
        const { status, body } = await get(client, '/projects/1/reports/latest')
        seen.push([now, status === 200 ? body.data.id : status])
      }
      expect(seen).toEqual(EDGES)
    },
  )

  test.each(ZONES)(
    '4.5 the month changes while the clock runs, in the cached list as well, with TZ=%s (T27)',
    async (zone, offsetMinutes) => {
      vi.stubEnv('TZ', zone)
      expect(new Date('2024-06-01T00:00:00Z').getTimezoneOffset()).toBe(offsetMinutes)
      await using client = await openFetch({ fixtures: MONTHLY, now: '2024-03-31T23:59:59.999Z' })
      const ids = async () => [
        (await get(client, '/projects')).body.data[0].latest_report_id,
        (await get(client, '/projects/1')).body.data.latest_report_id,
        (await get(client, '/projects/1/reports/latest')).body.data.id,
      ]
      expect(await ids()).toEqual([3, 3, 3])
      await client.sandbox.clock.advance(1)
      expect(await ids()).toEqual([4, 4, 4])
    },
  )

  test.each(ZONES)(
    '4.5 dates relative to the month also use the UTC month, with TZ=%s (T27)',
    async (zone, offsetMinutes) => {
      vi.stubEnv('TZ', zone)
      expect(new Date('2024-06-01T00:00:00Z').getTimezoneOffset()).toBe(offsetMinutes)
      const report = (id: number, date_to_create_texts: string) =>
        aReport({ id, status: 'completed', date_to_create_texts })
      for (const [now] of EDGES) {
        await using client = await openFetch({
          fixtures: withReports(
            [report(1, 'month+0/01'), report(2, 'month+1/01'), report(3, 'month-1/31')],
            { now },
          ),
        })
        const { body } = await get(client, '/projects/1/reports/latest')
        expect(body.data).toMatchObject({
          id: 1,
          date_to_create_texts: `${now.slice(0, 7)}-01`,
        })
      }
    },
  )
})
