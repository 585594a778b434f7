import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FixtureInput } from '../../src/index.ts'
import type { Overview } from '../../src/world/overview.ts'
import { openTab } from '../support/control-transports.ts'
import type { ControlClient } from '../support/control-transports.ts'
import { aProject, aReport, aWorld } from '../support/worlds.ts'

/** GET `/_sandbox/agencies/{id}/overview` (design, the control API). */

const GENERATED = {
  version: 1,
  now: '2026-03-15T12:00:00Z',
  frozen: true,
  generate: { projects: 12, agencies: 2, keywords: { min: 2, max: 9 } },
} as const

describe('the overview', () => {
  let client: ControlClient
  beforeAll(async () => {
    client = await openTab({ fixtures: GENERATED })
  })
  beforeEach(() => client.sandbox.reset())
  afterAll(() => client[Symbol.asyncDispose]())

  async function ask(agency: number | string = 1, one = client) {
    const target = `/_sandbox/agencies/${agency}/overview`
    const { status, body } = await one.send({ target })
    return { status, body: body as Overview & { error: { message: string } } }
  }

  /** The overview of a world that a fixture writes. */
  async function overviewOf(fixtures: FixtureInput): Promise<Overview> {
    await using written = await openTab({ fixtures })
    const { body } = await ask(1, written)
    return body
  }

  type ProjectInput = Parameters<typeof aProject>[0]

  /** State of a project on 15 March 2026. */
  async function healthOf(
    project: Omit<ProjectInput, 'id'>,
  ): Promise<Overview['projects'][number]> {
    const { projects } = await overviewOf(
      aWorld({ projects: [aProject({ id: 1, ...project })], progress: { mode: 'manual' } }),
    )
    return projects[0]!
  }

  function dueOn(date: string, status: 'pending' | 'running' | 'failed' | 'completed', id = 1) {
    return aReport({ id, status, date_to_create_texts: date })
  }

  describe('the health of a project', () => {
    test.each([
      ['a report that is completed this month', [dueOn('2026-03-02', 'completed')], 'on_track'],
      ['a report that is due today', [dueOn('2026-03-15', 'running')], 'on_track'],
      ['a report that was due yesterday', [dueOn('2026-03-14', 'running')], 'late'],
      ['a report that was due and never started', [dueOn('2026-01-14', 'pending')], 'late'],
      ['a report that has failed', [dueOn('2026-03-02', 'failed')], 'failed'],
      [
        'a failed report behind one of this month, which clients do not see',
        [dueOn('2026-02-02', 'failed'), dueOn('2026-03-02', 'completed', 2)],
        'on_track',
      ],
      ['reports of other months alone', [dueOn('2026-01-02', 'completed')], 'on_track'],
      ['no report', [], 'no_reports'],
    ])('with %s', async (_, reports, health) => {
      expect((await healthOf({ reports })).health).toBe(health)
    })

    test('is inactive where its status is another one than active', async () => {
      const reports = [dueOn('2026-03-02', 'failed')]
      const { health, latest } = await healthOf({ status: 'paused', reports })
      expect([health, latest?.wait]).toEqual(['inactive', null])
    })

    test('comes with the report that /reports/latest returns', async () => {
      const { latest } = await healthOf({ reports: [dueOn('2026-03-02', 'failed', 7)] })
      expect(latest).toEqual({
        report_number: 7,
        status: 'failed',
        date_to_create_texts: '2026-03-02',
        wait: {
          report_number: 7,
          reason: 'Its texts could not be written, and it has to be tried again',
          since: null,
          ready: null,
          to_client: null,
        },
      })
      expect((await healthOf({})).latest).toBeNull()
    })
  })

  test('a late report of the demo says what it waits for, since when, and until when', async () => {
    await using demo = await openTab({ demo: true, now: '2026-03-15T12:00:00Z', frozen: true })
    const { body } = await ask(1, demo)
    const { projects } = body
    const waits = projects.flatMap(({ id, latest }) =>
      latest?.wait ? [{ id, ...latest.wait }] : [],
    )
    expect(waits).toMatchObject([
      { id: 1004, reason: 'Some of its texts are not written yet' },
      { id: 1011, reason: 'Its texts could not be written, and it has to be tried again' },
    ])
    for (const { id, report_number, since, ready, to_client } of waits) {
      const { records } = demo.sandbox.world
      const at = (time: string | null, before = 0) =>
        records
          .reportsOf(id, Date.parse(time!) - before)
          .find((report) => report.report_number === report_number)!
      const now = records.reportsOf(id).find((report) => report.report_number === report_number)!
      expect(at(since, 1).status).not.toBe(now.status)
      expect(at(since).status).toBe(now.status)
      expect([at(ready, 1).status, at(ready).status]).toEqual(['running', 'completed'])
      expect([at(to_client, 1).sent, at(to_client).sent]).toEqual([false, true])
    }
  })

  test('each active project counts once, by its latest report', async () => {
    const done = { status: 'completed', date_to_create_texts: '2026-03-10' } as const
    const reports = [
      [dueOn('2026-03-31', 'pending', 1)],
      [dueOn('2026-03-15', 'running', 2)],
      [dueOn('2026-03-12', 'running', 3), dueOn('2026-03-20', 'pending', 4)],
      [dueOn('2026-02-12', 'pending', 5), dueOn('2026-03-20', 'pending', 6)],
      [dueOn('2025-06-12', 'failed', 7), dueOn('2026-03-12', 'running', 8)],
      [dueOn('2026-02-12', 'failed', 9), aReport({ id: 10, ...done })],
      [aReport({ id: 11, ...done, approved_status: 'approved' })],
      [aReport({ id: 12, ...done, approved_status: 'approved', sent: true })],
      [aReport({ id: 13, ...done, sent: true }), aReport({ id: 14, ...done, level: 'keyword' })],
      [dueOn('2026-04-01', 'pending', 15)],
      [dueOn('2026-02-28', 'completed', 16)],
      [aReport({ id: 17, status: 'pending' })],
      [],
    ]
    const paused = aProject({
      id: 99,
      status: 'paused',
      reports: [dueOn('2026-03-02', 'failed', 18)],
    })
    const overview = await overviewOf(
      aWorld({
        projects: [
          ...reports.map((own, index) => aProject({ id: index + 1, reports: own })),
          paused,
        ],
        progress: { mode: 'manual' },
      }),
    )
    expect(overview.month).toBe('2026-03')
    expect(overview.reports).toEqual({
      pending: 1,
      running: 1,
      late: 2,
      failed: 1,
      completed: 1,
      approved: 1,
      sent: 2,
      not_due: 4,
    })
  })

  test('late and failed reports of the demo count as the projects in these states, in any month', async () => {
    await using demo = await openTab({ demo: true, now: '2026-11-29T12:00:00Z', frozen: true })
    for (const now of ['2026-12-01', '2026-12-29', '2027-01-20', '2027-03-05']) {
      await demo.sandbox.clock.set(`${now}T12:00:00Z`)
      const { projects, reports } = (await ask(1, demo)).body
      const inState = (state: string) => projects.filter(({ health }) => health === state).length
      expect([reports.late, reports.failed]).toEqual([inState('late'), inState('failed')])
      const counted = Object.values(reports).reduce((sum, number) => sum + number)
      expect(counted).toBe(projects.length - inState('inactive'))
    }
  })

  describe('positions over 13 months', () => {
    test('are counted as GET /projects/{id}/positions has them', async () => {
      const { body } = await ask()
      const { months, keywords, first_page } = body.positions
      expect([months.length, months[0], months[12]]).toEqual([13, '2025-03', '2026-03'])
      const [known, first] = [months.map(() => 0), months.map(() => 0)]
      for (const { id } of body.projects) {
        const target = `/_sandbox/projects/${id}/positions?from=2025-03`
        const { body: read } = await client.send({ target })
        const { keywords: own } = read as { keywords: { id: number; positions: number[] }[] }
        for (const keyword of own) {
          const { active, create_date } = client.sandbox.world.records.get('keywords', keyword.id)!
          if (!active) continue
          for (const [index, position] of keyword.positions.entries()) {
            if (position !== null && position <= 10) first[index]! += 1
            if (create_date.slice(0, 7) < months[index]!) known[index]! += 1
          }
        }
      }
      expect(first_page).toEqual(first)
      expect(keywords).toEqual(known)
      expect(first.at(-1)).toBeGreaterThan(0)
      expect(known[0]).toBeLessThan(known[12]!)
    })

    test('of written keywords are known this month alone, where they have one or could have', async () => {
      const keyword = { create_date: '2025-01-01' }
      const { positions } = await overviewOf(
        aWorld({
          projects: [
            aProject({
              id: 1,
              keywords: [
                { ...keyword, id: 1, keyword: 'kites', latest_position: 10 },
                { ...keyword, id: 2, keyword: 'kite shop', latest_position: 11 },
                { ...keyword, id: 3, keyword: 'buy kites' },
                { id: 4, keyword: 'new kites', create_date: '2026-03-14' },
                { ...keyword, id: 5, keyword: 'balloons', latest_position: 1, active: false },
              ],
            }),
          ],
        }),
      )
      const before = Array.from({ length: 12 }, () => 0)
      expect(positions.keywords).toEqual([...before, 3])
      expect(positions.first_page).toEqual([...before, 1])
    })
  })

  describe('the next changes', () => {
    test('are ten, in order, and each is a change of its project by time alone', async () => {
      const { changes, projects } = (await ask()).body
      expect(changes).toHaveLength(10)
      const times = changes.map(({ at }) => at)
      expect(times).toEqual(times.toSorted())
      const explained = projects.flatMap(({ id }) =>
        client.sandbox
          .explain(id, { changes: 20 })
          .changes.flatMap(({ at, reports }) =>
            reports.map(({ report_number }) => ({ at, project: id, report_number })),
          ),
      )
      const first = explained.toSorted((one, other) =>
        one.at === other.at ? one.project - other.project : one.at < other.at ? -1 : 1,
      )
      expect(
        changes.map(({ at, project, report_number }) => ({ at, project, report_number })),
      ).toEqual(first.slice(0, 10))
    })

    test('say what happens to the report, from its creation to the customer', async () => {
      const stateOf = (project: number, report_number: number) => {
        const reports = client.sandbox.world.records.reportsOf(project)
        const report = reports.find((one) => one.report_number === report_number)
        return report && [report.status, report.approved_status, report.sent].join(' ')
      }
      const STATES: Record<string, [before: string, after: string]> = {
        created: ['', 'pending  false'],
        started: ['pending  false', 'running  false'],
        failed: ['running  false', 'failed  false'],
        retried: ['failed  false', 'running  false'],
        completed: ['running  false', 'completed  false'],
        approved: ['completed  false', 'completed approved false'],
        sent: ['completed approved false', 'completed approved true'],
      }
      const seen = new Set<string>()
      for (let look = 0; look < 40 && seen.size < Object.keys(STATES).length; look += 1) {
        const { changes } = (await ask(1 + (look % 2))).body
        for (const { at, project, report_number, event } of changes) {
          if (event === 'regenerated') continue
          await client.sandbox.clock.set(new Date(Date.parse(at) - 1).toISOString())
          const before = stateOf(project, report_number) ?? ''
          await client.sandbox.clock.set(at)
          const after = stateOf(project, report_number) ?? ''
          expect([event, before, after]).toEqual([event, ...STATES[event]!])
          seen.add(event)
        }
        await client.sandbox.clock.advance('P5D')
      }
      expect([...seen].toSorted()).toEqual(Object.keys(STATES).toSorted())
    })

    test('are none where reports move by commands', async () => {
      const reports = [dueOn('2026-03-20', 'pending')]
      const { changes } = await overviewOf(
        aWorld({ projects: [aProject({ id: 1, reports })], progress: { mode: 'manual' } }),
      )
      expect(changes).toEqual([])
    })
  })

  describe('the next month', () => {
    const reports = [dueOn('2026-03-02', 'completed', 1), dueOn('2026-04-01', 'pending', 2)]

    test('is when the latest report of some projects is another one by time alone', async () => {
      const { next_month } = await overviewOf(
        aWorld({
          projects: [
            aProject({ id: 1, reports }),
            aProject({ id: 2, reports: [dueOn('2026-03-02', 'pending', 3)] }),
            aProject({ id: 3 }),
            aProject({ id: 4, reports: [dueOn('2026-03-02', 'completed', 4)] }),
            aProject({ id: 5, reports: [dueOn('2026-03-02', 'completed', 5)] }),
          ],
        }),
      )
      expect(next_month).toEqual({ at: '2026-04-01T00:00:00.000000Z', projects: 1, lost: 2 })
    })

    test('begins in the time zone of the policy month-time-zone', async () => {
      const { next_month } = await overviewOf(
        aWorld({
          projects: [aProject({ id: 1, reports })],
          policies: { 'month-time-zone': 'Europe/Copenhagen' },
        }),
      )
      expect(next_month).toEqual({ at: '2026-03-31T22:00:00.000000Z', projects: 1, lost: 0 })
    })

    test('is none after the last that there is', async () => {
      const { next_month, changes } = await overviewOf(aWorld({ now: '9999-12-15T12:00:00Z' }))
      expect([next_month, changes]).toEqual([null, []])
    })
  })

  describe('the next change for clients', () => {
    test('is where the clock has to go for another latest report or content, and nothing before it is', async () => {
      const { records } = client.sandbox.world
      const seenBy = (project: number) => {
        const { latest } = client.sandbox.explain(project)
        const completed = records.reportsOf(project).filter(({ status }) => status === 'completed')
        return JSON.stringify([latest.selected?.id ?? null, completed.map(({ id }) => id)])
      }
      for (let look = 0; look < 8; look += 1) {
        const { next, projects } = (await ask(1 + (look % 2))).body
        const before = projects.map(({ id }) => [id, seenBy(id)] as const)
        await client.sandbox.clock.set(new Date(Date.parse(next!.at) - 1).toISOString())
        expect(projects.map(({ id }) => [id, seenBy(id)])).toEqual(before)
        await client.sandbox.clock.set(next!.at)
        const changed = before.filter(([id, seen]) => seenBy(id) !== seen).map(([id]) => id)
        expect([changed[0], changed.length]).toEqual([next!.project, next!.projects])
        const report = records
          .reportsOf(next!.project)
          .find(({ report_number }) => report_number === next!.report_number)
        if (next!.event === 'latest')
          expect(client.sandbox.explain(next!.project).latest.selected?.id).toBe(report?.id)
        else expect(report?.status === 'completed').toBe(next!.event === 'completed')
      }
    })

    test('is the beginning of the month where that alone changes the latest report', async () => {
      const reports = [dueOn('2026-03-02', 'completed', 1), dueOn('2026-04-01', 'pending', 2)]
      const others = [dueOn('2026-03-02', 'completed', 3), dueOn('2026-04-01', 'pending', 4)]
      const { next } = await overviewOf(
        aWorld({
          projects: [aProject({ id: 1, reports }), aProject({ id: 2, reports: others })],
          progress: { mode: 'manual' },
        }),
      )
      expect(next).toEqual({
        at: '2026-04-01T00:00:00.000000Z',
        project: 1,
        report_number: 2,
        event: 'latest',
        projects: 2,
      })
    })

    test('is none where time changes nothing for clients', async () => {
      expect((await overviewOf(aWorld({}))).next).toBeNull()
    })
  })

  test('it is about the first 200 projects of the agency, and says how many there are', async () => {
    const projects = Array.from({ length: 202 }, (_, index) =>
      aProject({ id: index + 1, agency: index === 0 ? 2 : 1 }),
    )
    const overview = await overviewOf(aWorld({ projects }))
    expect([overview.agency, overview.total]).toEqual([1, 201])
    expect(overview.projects.map(({ id }) => id)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 2),
    )
  })

  test.each([99, 'x', '1e3'])('agency %s is refused', async (agency) => {
    const { status, body } = await ask(agency)
    expect([status, body.error.message]).toEqual([404, `There is no agency ${agency}.`])
  })
})
