import { createSandbox } from 'seo-sandbox'
import type { Sandbox } from 'seo-sandbox'
import { expect, test } from 'vitest'
import { ENDPOINTS, FOREVER_MS, timelineOf } from '../../src/console/parts/timeline-of.ts'

/** The reports of a project at a moment and the answers of the two endpoints over time (4.5, 4.6), compared with other moments. */

const NOVEMBER = '2026-11-18T09:30:00Z'

const report = (number: number, status: string, due: string) => ({
  id: number,
  report_number: number,
  status,
  date_to_create_texts: due,
  created_at: `2026-0${number}-01T00:00:00Z`,
})

/** Report 1 is completed this month; report 2 is written by the beginning of December. */
const createWorld = (): Promise<Sandbox> =>
  createSandbox({
    now: NOVEMBER,
    frozen: true,
    fixtures: {
      version: 1,
      progress: { mode: 'time' },
      agencies: [{ id: 1, name: 'North' }],
      projects: [
        {
          id: 101,
          agency: 1,
          name: 'Havnens Bageri',
          status: 'active',
          created_at: '2026-01-01T00:00:00Z',
          reports: [
            report(1, 'completed', '2026-11-01'),
            report(2, 'pending', '2026-12-10'),
          ] as never,
        },
      ],
    },
  })

/** All changes of the project, as of a time before its first report. */
const historyOf = (sandbox: Sandbox) => explain(sandbox, '2026-10-01T00:00:00Z')

const explain = (sandbox: Sandbox, at?: string) =>
  sandbox.explain(101, { changes: 50, ...(at && { at }) })

test('without another moment, each endpoint has its answers since the beginning of the history', async () => {
  const sandbox = await createWorld()
  const { reports, answers, compared } = timelineOf(explain(sandbox), {
    history: historyOf(sandbox),
  })
  expect(compared).toBeUndefined()
  expect(reports.map(({ id, isChanged }) => [id, isChanged])).toEqual([
    [1, false],
    [2, false],
  ])
  for (const endpoint of ENDPOINTS) {
    const spans = answers[endpoint]
    const numbers = new Map([1, 2].map((id) => [id, id]))
    expect(spans[0]!.fromMs).toBe(Date.parse('2026-10-01'))
    expect(spans.at(-1)!.untilMs).toBe(FOREVER_MS)
    for (const [index, { number, fromMs, untilMs }] of spans.entries()) {
      // The engine gives the same answer at both ends of each span, and a different one after it.
      const answerAt = (ms: number) =>
        numbers.get(explain(sandbox, new Date(ms).toISOString())[endpoint].selected?.id ?? 0) ??
        null
      expect(answerAt(fromMs)).toBe(number)
      if (untilMs === FOREVER_MS) continue
      expect(answerAt(untilMs - 1)).toBe(number)
      expect(spans[index + 1]).toMatchObject({ fromMs: untilMs })
      expect(answerAt(untilMs)).not.toBe(number)
    }
  }
  // Before the month of report 1, the open report is the latest.
  expect(answers.latest.map(({ number }) => number).slice(0, 3)).toEqual([2, 1, 2])
})

test('the moment at which time completes a report is that of its first change to it', async () => {
  const sandbox = await createWorld()
  const now = explain(sandbox)
  const { at } = now.changes.find(({ reports }) =>
    reports.some(({ id, status }) => id === 2 && status === 'completed'),
  )!
  const { reports } = timelineOf(now, { history: historyOf(sandbox) })
  expect(reports.map(({ id, finishesMs }) => [id, finishesMs])).toEqual([
    [1, undefined],
    [2, Date.parse(at)],
  ])
})

test.each([
  [true, 'a preview'],
  [false, 'a moment after a step'],
])('with isPreview %s, for %s, what differs from the other moment is marked', async (isPreview) => {
  const sandbox = await createWorld()
  const now = explain(sandbox)
  const later = explain(sandbox, '2027-01-31T00:00:00Z')
  const { reports, compared } = timelineOf(later, {
    other: now,
    isPreview,
    history: historyOf(sandbox),
  })
  expect(reports.map(({ id, isChanged }) => [id, isChanged])).toEqual([
    [1, false],
    [2, true],
  ])
  expect(compared).toEqual({
    ms: Date.parse(NOVEMBER),
    answers: { latest: 1, last_generated: 1 },
    isNow: isPreview,
  })
})

test('the answers begin with the history, whichever moment is shown', async () => {
  const sandbox = await createWorld()
  const history = historyOf(sandbox)
  const now = timelineOf(explain(sandbox), { history })
  const later = timelineOf(explain(sandbox, '2027-01-31T00:00:00Z'), {
    other: explain(sandbox),
    history,
  })
  expect(now.answers.latest[0]!.fromMs).toBe(Date.parse('2026-10-01'))
  expect(later.answers).toEqual(now.answers)
})
