import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { RecordedRequest } from '../../src/journal/recorded-request.ts'
import { planBudget } from '../../src/rehearsal/budget.ts'
import { measureLoad } from '../../src/rehearsal/run-load.ts'
import type { Asked, RunLoad } from '../../src/rehearsal/run-load.ts'
import { Budget } from '../../src/review/rehearsal.ts'
import { describeBudget } from '../../src/review/reports/rehearsal.ts'
import { runs } from '../support/depth.ts'

/** How the requests of a client grow with its projects: what clients of known cost sent is enough to find their cost. */

/** What there is to read in a run, of which `load` is what a client sent. */
interface World {
  projects: number
  reports: number
}

type Client = (world: World, index: number) => Partial<Record<Asked, number>>

function aLoad(
  requests: Partial<Record<Asked, number>>,
  { projects = 40, reports = 0, ...own }: Partial<World> & Partial<Omit<RunLoad, 'projects'>> = {},
): RunLoad {
  const sent = Object.entries(requests).filter(([, count]) => count > 0) as [Asked, number][]
  return {
    requests: new Map(sent),
    repeated: new Map(),
    projects: { active: projects, all: projects + 2 },
    reports,
    completed: new Set(),
    perPage: 100,
    ...own,
  }
}

function loadsOf(client: Client, worlds: readonly World[] = WORLDS): RunLoad[] {
  return worlds.map((world, index) => aLoad(client(world, index), world))
}

function pages({ projects }: World, perPage = 100): number {
  return Math.ceil(projects / perPage)
}

/** Neither number follows from the other. */
const WORLDS: readonly World[] = [
  { projects: 10, reports: 3 },
  { projects: 20, reports: 0 },
  { projects: 35, reports: 9 },
  { projects: 50, reports: 1 },
  { projects: 80, reports: 4 },
  { projects: 120, reports: 7 },
]

/** Each project has as many new reports. */
const EVEN: readonly World[] = [10, 20, 40, 50, 80, 130, 210].map((projects) => ({
  projects,
  reports: projects / 10,
}))

/** The same number of projects in each. */
const SAME: readonly World[] = [2, 0, 5, 1, 0, 3].map((reports) => ({ projects: 40, reports }))

function budgetOf(...given: Parameters<typeof planBudget>): Budget {
  const budget = planBudget(...given)
  if (!budget) throw new Error('There is no budget.')
  return Budget.parse(budget)
}

/** The most projects that a client of known cost keeps within a limit with. */
function mostWithin(limit: number, costOf: (projects: number) => number): number {
  let projects = 0
  while (costOf(projects + 1) <= limit) projects += 1
  return projects
}

const count = fc.integer({ min: 0, max: 9 })

describe('the cost of a client', () => {
  test('is found from what it sent, whatever each run, each project and each report takes', () => {
    fc.assert(
      fc.property(count, count, count, (fixed, perProject, perReport) => {
        const { parts } = budgetOf(
          loadsOf(({ projects, reports }) => ({
            getMe: 1,
            listKeywords: fixed + perProject * projects + perReport * reports,
          })),
        )
        const part = parts.find(({ endpoint }) => endpoint === 'GET /projects/{project}/keywords')
        expect(part ?? { fixed: 0, per_project: 0, per_page: 0, per_report: 0 }).toMatchObject({
          fixed,
          per_project: perProject,
          per_page: 0,
          per_report: perReport,
        })
      }),
      { numRuns: runs(300) },
    )
  })

  test('says how many projects fit, to the last one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 9 }),
        count,
        fc.constantFrom(1, 10, 25, 100),
        (fixed, perProject, perReport, perPage) => {
          const requests = ({ projects, reports }: World) => ({
            getMe: fixed,
            listProjects: pages({ projects, reports }, perPage),
            listReports: perProject * projects,
            getReportContent: reports,
            listKeywords: perReport * reports,
          })
          const loads = loadsOf(requests, EVEN).map((load) => ({ ...load, perPage }))
          const costOf = (projects: number) =>
            Object.values(requests({ projects, reports: projects / 10 })).reduce(
              (sum, one) => sum + one,
            )
          const { typical, heaviest, is_exact: isExact } = budgetOf(loads)
          const fits = { per_minute: mostWithin(60, costOf), per_hour: mostWithin(1000, costOf) }
          expect({ isExact, typical: typical.fits, heaviest: heaviest.fits }).toEqual({
            isExact: true,
            typical: fits,
            heaviest: fits,
          })
        },
      ),
      { numRuns: runs(300) },
    )
  })

  test('of a client that does as it likes is a budget all the same: its heaviest run never fits more than the others', () => {
    const load = fc
      .record({
        projects: fc.integer({ min: 0, max: 300 }),
        reports: fc.integer({ min: 0, max: 60 }),
        getMe: fc.integer({ min: 0, max: 3 }),
        unknown: count,
        listProjects: fc.integer({ min: 0, max: 30 }),
        listReports: fc.integer({ min: 0, max: 400 }),
        getUser: fc.integer({ min: 0, max: 400 }),
        perPage: fc.integer({ min: 1, max: 100 }),
      })
      .map(({ projects, reports, perPage, ...requests }) =>
        aLoad({ ...requests, getReportContent: reports }, { projects, reports, perPage }),
      )
    fc.assert(
      fc.property(fc.array(load, { minLength: 1, maxLength: 12 }), (loads) => {
        const budget = planBudget(loads)
        const sizes = loads.flatMap(({ requests }) => [...requests.values()])
        if (!budget) {
          expect(sizes).toEqual([])
          return
        }
        Budget.parse(budget)
        const { typical, heaviest, parts, requests } = budget
        for (const window of ['per_minute', 'per_hour'] as const) {
          const [most, least] = [typical.fits[window], heaviest.fits[window]]
          if (most !== null) expect(least).toBeLessThanOrEqual(most)
          expect(least ?? 0).toBeGreaterThanOrEqual(0)
        }
        expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 2)
        expect(requests.lowest).toBeLessThanOrEqual(requests.median)
        expect(requests.median).toBeLessThanOrEqual(requests.highest)
        expect(describeBudget({ budget }).join(' ')).not.toMatch(/NaN|undefined|Infinity|null/)
      }),
      { numRuns: runs(500) },
    )
  })

  const perProject: Client = ({ projects }) => ({ getMe: 1, listReports: projects })

  test.for<
    [title: string, loads: RunLoad[], fits: [perMinute: number | null, perHour: number | null]]
  >([
    ['one request, and one for each project', loadsOf(perProject), [59, 999]],
    ['the same, with as many projects in each run', loadsOf(perProject, SAME), [59, 999]],
    [
      'one request for each page of projects',
      loadsOf((world) => ({ listProjects: pages(world) })),
      [6000, 100_000],
    ],
    [
      'one for each page of ten',
      loadsOf((world) => ({ listProjects: pages(world, 10) })).map((load) => ({
        ...load,
        perPage: 10,
      })),
      [600, 10_000],
    ],
    ['always the same, however many there are', loadsOf(() => ({ getMe: 12 })), [null, null]],
    ['always too many', loadsOf(() => ({ listUsers: 1200 })), [null, null]],
    [
      'too many before the first project',
      loadsOf(({ projects }) => ({ getMe: 1200, listReports: projects })),
      [0, 0],
    ],
    [
      'one for each project, but for a run that does ten times as much',
      loadsOf(({ projects }, index) => ({
        getMe: 1,
        listReports: projects,
        getUser: index === 0 ? 10 * projects : 0,
      })),
      [59, 999],
    ],
    [
      'one for each project that is not active either',
      loadsOf(perProject).map((load, index) => ({
        ...load,
        projects: { active: load.projects.active - (index % 2) * 7, all: load.projects.active },
      })),
      [59, 999],
    ],
  ])('%s', ([, loads, [perMinute, perHour]]) => {
    expect(budgetOf(loads).typical.fits).toEqual({ per_minute: perMinute, per_hour: perHour })
  })

  test('is that of a run with all of its reports to read, too', () => {
    const first = aLoad(
      { listProjects: 1, listReports: 40, getReportContent: 440 },
      { reports: 440 },
    )
    const daily = aLoad({ listProjects: 1, listReports: 40, getReportContent: 4 }, { reports: 4 })
    const { typical, heaviest } = budgetOf([first, daily, daily, daily, daily])
    expect(typical.reports_per_project).toBe(0.1)
    expect(typical.fits).toEqual({ per_minute: 53, per_hour: 900 })
    expect(heaviest).toEqual({
      requests: 481,
      projects: 40,
      reports: 440,
      fits: { per_minute: 4, per_hour: 83 },
    })
  })

  test('has no number of projects where a window has no limit', () => {
    const loads = loadsOf(perProject)
    const { typical } = budgetOf(loads, { per_minute: 'unlimited', per_hour: 500 })
    expect(typical.fits).toEqual({ per_minute: null, per_hour: 499 })
  })

  test('is unknown without a run that sent requests, and such runs do not count', () => {
    expect(planBudget([])).toBeUndefined()
    expect(planBudget([aLoad({})])).toBeUndefined()
    expect(budgetOf([aLoad({}), ...loadsOf(perProject)])).toMatchObject({
      runs: WORLDS.length,
      requests: { lowest: 11, median: 36, highest: 121 },
    })
  })
})

describe('what would be cheaper', () => {
  const known = (ids: readonly number[]) => ({ completed: new Set(ids), reports: ids.length })

  test.for<[title: string, loads: RunLoad[], saving: Budget['saving']]>([
    [
      'the list of projects, for single ones',
      loadsOf(({ projects }) => ({ getProject: projects, listReports: projects })),
      {
        endpoint: 'GET /projects/{project}',
        avoidable: 1,
        instead:
          'A page of GET /projects has the name, the status, the number of keywords and the latest report of 100 projects. Read single projects only for their other fields.',
        fits: { per_minute: 60, per_hour: 1000 },
      },
    ],
    [
      'a list of users, for one in each project',
      loadsOf(({ projects }) => ({ getUser: projects, listReports: projects })),
      {
        endpoint: 'GET /users/{user}',
        avoidable: 0.981,
        instead: 'GET /users has all of them, with the same fields.',
        fits: { per_minute: 58, per_hour: 981 },
      },
    ],
    [
      'full pages',
      loadsOf((world) => ({ listProjects: pages(world, 10) })).map((load) => ({
        ...load,
        perPage: 10,
      })),
      {
        endpoint: 'GET /projects',
        avoidable: 0.9,
        instead: 'A page can have 100 projects, as it has by default. These had 10.',
        fits: { per_minute: 6000, per_hour: 100_000 },
      },
    ],
    [
      'reports that are not known yet, for all of them each time',
      Array.from({ length: 5 }, () =>
        aLoad(
          { listReports: 40, getReportContent: 80 },
          known(Array.from({ length: 80 }, (_, id) => id)),
        ),
      ),
      {
        endpoint: 'GET /projects/{project}/reports/{report_number}/content',
        avoidable: 0.8,
        instead:
          '80% of these requests were for reports that an earlier run had read. Read the content only of those whose id is not known yet.',
        fits: { per_minute: 42, per_hour: 714 },
      },
    ],
    [
      'what the run has read already',
      loadsOf(({ projects }) => ({ listCountries: projects, listReports: projects })).map(
        (load) => ({
          ...load,
          repeated: new Map([['listCountries', load.projects.active - 1]] as const),
        }),
      ),
      {
        endpoint: 'GET /countries',
        avoidable: 0.981,
        instead:
          '98% of these requests were for what the same run had read before. Keep it until the run ends.',
        fits: { per_minute: 58, per_hour: 981 },
      },
    ],
    [
      'either of two lists',
      loadsOf(({ projects }) => ({ getLastGeneratedReport: projects, listReports: projects })),
      {
        endpoint: 'GET /projects/{project}/reports/last-generated',
        avoidable: 1,
        instead:
          'GET /projects/{project}/reports, which the client reads too, shows all completed reports.',
        fits: { per_minute: 60, per_hour: 1000 },
      },
    ],
  ])('%s', ([, loads, saving]) => {
    expect(budgetOf(loads).saving).toEqual(saving)
  })

  test.for<[title: string, loads: RunLoad[]]>([
    ['the reports of each project', loadsOf(({ projects }) => ({ listReports: projects }))],
    [
      'the last report of each, without their lists',
      loadsOf(({ projects }) => ({ getLastGeneratedReport: projects })),
    ],
    ['each report once', loadsOf(({ reports }) => ({ getMe: 1, getReportContent: reports }))],
    [
      'single projects in one run of many',
      loadsOf(({ projects }, index) => ({
        listReports: projects,
        getProject: index === 5 ? projects : 0,
      })),
    ],
    ['what does not grow', loadsOf(() => ({ listUsers: 1, getProject: 1 }))],
  ])('nothing, for %s', ([, loads]) => {
    expect(budgetOf(loads).saving).toBeUndefined()
  })
})

describe('the sentences', () => {
  test.for<[title: string, loads: RunLoad[], sentences: string[]]>([
    [
      'a client that could read less',
      loadsOf(({ projects }) => ({
        listProjects: pages({ projects, reports: 0 }),
        getProject: projects,
        listReports: projects,
      })),
      [
        'A sync took 71 requests with 35 active projects (21 to 242 requests, 10 to 120 projects).',
        'An hour (1,000 requests) is enough for 497 projects, a minute (60) for 29.',
        'GET /projects/{project} took 50% of the requests. A page of GET /projects has the name, the status, the number of keywords and the latest report of 100 projects. Read single projects only for their other fields. Then an hour would be enough for 990 projects, a minute for 59.',
      ],
    ],
    [
      'one that could not, whose first run reads all reports',
      [
        aLoad({ listProjects: 1, listReports: 40, getReportContent: 440 }, { reports: 440 }),
        ...SAME.map(({ projects, reports }) =>
          aLoad({ listProjects: 1, listReports: projects, getReportContent: reports }, { reports }),
        ),
      ],
      [
        'A sync took 43 requests with 40 active projects (41 to 481 requests).',
        'An hour (1,000 requests) is enough for about 940 projects, a minute (60) for about 56.',
        'GET /projects/{project}/reports took 93% of the requests. For more projects, spread a sync over several hours, or ask the operator of the API for a higher limit.',
        'The heaviest sync for its number of projects took 481 requests with 40 projects and 440 reports to read. If all were like it, an hour would be enough for about 83 projects, a minute for about 4.',
        'All of these runs had about 40 active projects, so it is an assumption that each further one takes as many requests.',
      ],
    ],
    [
      'one whose requests are always as many',
      loadsOf(() => ({ getMe: 1 }), SAME),
      [
        'A sync took 1 request with 40 active projects.',
        'It would take as many with more projects.',
      ],
    ],
    [
      'one that is over its limits without any project',
      loadsOf(({ projects }) => ({ getMe: 1200, listReports: projects })),
      [
        'A sync took 1,235 requests with 35 active projects (1,210 to 1,320 requests, 10 to 120 projects).',
        'An hour (1,000 requests) is not enough for one project.',
        'GET /projects/{project}/reports took 5% of the requests. For more projects, spread a sync over several hours, or ask the operator of the API for a higher limit.',
      ],
    ],
  ])('of %s', ([, loads, sentences]) => {
    expect(describeBudget({ budget: budgetOf(loads) })).toEqual(sentences)
  })

  test('have no window without a limit, and nothing to say of no limit at all', () => {
    const loads = loadsOf(({ projects }) => ({ listReports: projects }))
    const sentencesOf = (perMinute: 60 | 'unlimited') =>
      describeBudget({
        budget: budgetOf(loads, { per_minute: perMinute, per_hour: 'unlimited' }),
      }).slice(1, 2)
    expect(sentencesOf(60)).toEqual(['A minute (60 requests) is enough for 60 projects.'])
    expect(sentencesOf('unlimited')).toEqual([])
    expect(describeBudget({})).toEqual([])
  })
})

test('the load of a run is what its requests asked for, without those that were refused', async () => {
  const project = { agency: 1, name: 'Project', created_at: '2026-01-01T00:00:00Z' }
  const report = { created_at: '2026-01-01T00:00:00Z', date_to_create_texts: '2026-01-02' }
  const sandbox = await createSandbox({
    fixtures: {
      version: 1,
      tokens: [{ id: 1, name: 'Token', token: 'token', agency: 1, rate_limit: { per_minute: 7 } }],
      agencies: [
        { id: 1, name: 'Ours' },
        { id: 2, name: 'Theirs' },
      ],
      projects: [
        {
          ...project,
          id: 100,
          status: 'active',
          reports: [
            { ...report, id: 11, report_number: 1, status: 'completed' },
            { ...report, id: 12, report_number: 2, status: 'pending' },
          ],
        },
        { ...project, id: 200, status: 'paused' },
        { ...project, id: 300, status: 'active', agency: 2 },
      ],
    },
    now: '2026-03-01T06:00:00Z',
    frozen: true,
  })
  const { records } = sandbox.world
  const sent: RecordedRequest[] = []
  sandbox.world.subscribe({ keepsRequests: true, onRequest: (recorded) => sent.push(recorded) })
  const paths = [
    '/projects?per_page=1',
    '/projects?per_page=1&page=2',
    '/projects/100/reports',
    '/projects/100/reports/1/content',
    '/projects/100/reports/2/content',
    '/projects/100/reports/1/content',
    '/projects/200/reports/1/content',
    '/nowhere',
    '/me',
  ]
  for (const path of paths)
    await sandbox.fetch(`/api/v1${path}`, { headers: { Authorization: 'Bearer token' } })
  expect(measureLoad(sent, { records, agency: 1 })).toEqual({
    requests: new Map([
      ['listProjects', 2],
      ['listReports', 1],
      ['getReportContent', 4],
      ['unknown', 1],
    ]),
    repeated: new Map([['getReportContent', 1]]),
    projects: { active: 1, all: 2 },
    reports: 2,
    completed: new Set([11]),
    perPage: 1,
  })
  expect(measureLoad([], { records, agency: null }).projects).toEqual({ active: 2, all: 3 })
})
