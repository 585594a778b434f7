import { toEndpoint } from '../contract/endpoint.ts'
import { DEFAULT_RATE_LIMITS } from '../contract/rate-limits.ts'
import type { RateLimits } from '../contract/rate-limits.ts'
import { ROUTES } from '../contract/routes.ts'
import type { WindowLimit } from '../contract/token.ts'
import type { Budget } from '../review/rehearsal.ts'
import { fitRequests, TERMS } from './fit-requests.ts'
import type { Terms } from './fit-requests.ts'
import type { Asked, RunLoad } from './run-load.ts'
import { findSaving } from './savings.ts'

/**
 * How a client's requests grow with the number of its projects, judging by its calm runs, and how many projects fit within its
 * rate limits; undefined if no run sent a request.
 *
 * For each operation, a run is taken to send a fixed number of requests, and a number for each project, each page of the project
 * list and each report whose content is read. Projects are assumed to have as many reports to read as they had in these runs.
 */
export function planBudget(
  loads: readonly RunLoad[],
  limits: RateLimits = DEFAULT_RATE_LIMITS,
): Budget | undefined {
  const syncs = loads.filter(({ requests }) => requests.size > 0)
  if (syncs.length === 0) return undefined
  const [active, all] = [createModel(syncs, 'active'), createModel(syncs, 'all')]
  const model = all.error * CLEARLY < active.error ? all : active
  const { runs, others, rates, typical, heaviest } = model
  const typicalFits = fitsOf(typical, limits)
  const heaviestFits = fitsOf(heaviest.curve, limits)
  const total = sumOf(others.map(({ requests }) => requests))
  const parts = [...rates].map(([asked, terms]): Budget['parts'][number] => ({
    endpoint: nameOf(asked),
    share: round(sumOf(others.map(({ load }) => load.requests.get(asked) ?? 0)) / total),
    fixed: round(terms.fixed),
    per_project: round(terms.projects),
    per_page: round(terms.pages),
    per_report: round(terms.reports),
  }))
  const saving = largestSaving(model, { syncs, limits })
  return {
    limits,
    runs: runs.length,
    requests: rangeOf(runs.map(({ requests }) => requests)),
    projects: rangeOf(runs.map(({ sizes }) => sizes.projects)),
    counted: model.counted,
    is_assumed: !isVaried(runs),
    is_exact: isVaried(runs) && isExact(model),
    typical: { reports_per_project: round(model.density), fits: typicalFits },
    heaviest: {
      requests: heaviest.run.requests,
      projects: heaviest.run.sizes.projects,
      reports: heaviest.run.sizes.reports,
      fits: {
        per_minute: lesser(heaviestFits.per_minute, typicalFits.per_minute),
        per_hour: lesser(heaviestFits.per_hour, typicalFits.per_hour),
      },
    },
    parts: parts.toSorted((one, other) => other.share - one.share),
    ...(saving && { saving }),
  }
}

/** The errors of a fit to all projects have to be smaller by this factor for all to count, and not just active ones. */
const CLEARLY = 1.1

/** A calm run, and what its requests may depend on. */
interface Run {
  load: RunLoad
  sizes: Terms
  /** Over all operations. */
  requests: number
}

/**
 * For each operation, how many requests a run sends, and how many more for each project and page. Those for reports are counted
 * per project.
 */
type Curve = ReadonlyMap<Asked, Omit<Terms, 'reports'>>

interface Model {
  counted: Budget['counted']
  runs: readonly Run[]
  /** All but the heaviest run, unless there are few runs. */
  others: readonly Run[]
  rates: ReadonlyMap<Asked, Terms>
  error: number
  /** How many reports a typical run reads per project. */
  density: number
  typical: Costs
  /** The run that takes the most requests at the usual number of projects: often the first one, which reads all reports. */
  heaviest: { run: Run; curve: Costs }
}

/** How many requests a run takes, by the number of projects. */
interface Costs {
  curve: Curve
  perPage: number
}

function createModel(syncs: readonly RunLoad[], counted: Budget['counted']): Model {
  const perPage = medianOf(syncs.map((load) => load.perPage))
  const runs = syncs.map((load): Run => {
    const projects = load.projects[counted]
    const pages = pagesOf(projects, perPage)
    return {
      load,
      sizes: { fixed: 1, projects, pages, reports: load.reports },
      requests: sumOf([...load.requests.values()]),
    }
  })
  const asked = [...new Set(syncs.flatMap(({ requests }) => [...requests.keys()]))]
  const usual = medianOf(runs.map(({ sizes }) => sizes.projects))
  const first = fitAll(asked, runs)
  const heaviest = runs.reduce((most, run) =>
    costOf({ curve: scale(run, first.rates), perPage }, usual) >
    costOf({ curve: scale(most, first.rates), perPage }, usual)
      ? run
      : most,
  )
  // It often does what no other run does, and a fit would spread that over the others.
  const others = runs.length > FEW_RUNS ? runs.filter((run) => run !== heaviest) : runs
  const { rates, error } = fitAll(asked, others)
  const density = densityOf(others, usual)
  const curve = new Map(
    Array.from(rates, ([one, { fixed, projects, pages, reports }]) => [
      one,
      { fixed, projects: projects + reports * density, pages },
    ]),
  )
  return {
    counted,
    runs,
    others,
    rates,
    error,
    density,
    typical: { curve, perPage },
    heaviest: { run: heaviest, curve: { curve: scale(heaviest, rates), perPage } },
  }
}

const FEW_RUNS = 3

function fitAll(
  asked: readonly Asked[],
  runs: readonly Run[],
): { rates: ReadonlyMap<Asked, Terms>; error: number } {
  const fits = asked.map((one) => {
    const samples = runs.map(({ load, sizes }) => ({
      sizes,
      requests: load.requests.get(one) ?? 0,
    }))
    const terms = TERMS.filter((term) => term !== 'pages' || one === 'listProjects')
    return [one, fitRequests(samples, { terms, expected: expectedOf(one) })] as const
  })
  return {
    rates: new Map(fits.map(([one, { rates }]) => [one, rates])),
    error: sumOf(fits.map(([, { error }]) => error)),
  }
}

/** What the requests for an endpoint are taken to depend on if the runs do not show it, judging by its path. */
function expectedOf(asked: Asked): keyof Terms {
  if (asked === 'listProjects') return 'pages'
  if (asked === 'getReportContent') return 'reports'
  return isOfOne(asked) ? 'projects' : 'fixed'
}

/** Whether its path names a project, or something that projects refer to. */
function isOfOne(asked: Asked): boolean {
  return asked !== 'unknown' && ROUTES[asked].path.includes('{')
}

/**
 * How the requests of a single run grow with projects: in proportion, except for fixed ones, so that each project has as many new
 * reports.
 */
function scale({ load, sizes }: Run, rates: ReadonlyMap<Asked, Terms>): Curve {
  return new Map(
    Array.from(load.requests, ([asked, requests]) => {
      const terms = rates.get(asked)!
      const grows = isOfOne(asked) || terms.projects > 0 || terms.pages > 0 || terms.reports > 0
      const fixed = grows ? Math.min(terms.fixed, requests) : requests
      const onPages = Math.min(requests - fixed, terms.pages * sizes.pages)
      const rest = requests - fixed - onPages
      return [
        asked,
        { fixed, pages: onPages / sizes.pages, projects: rest / Math.max(1, sizes.projects) },
      ]
    }),
  )
}

/**
 * How many reports runs with about the usual number of projects read per project. In other runs, such as in a month with many new
 * projects, projects may have no reports.
 */
function densityOf(runs: readonly Run[], usual: number): number {
  const near = runs.filter(({ sizes }) => Math.abs(sizes.projects - usual) <= usual / 4)
  const own = near.length > 0 ? near : runs
  return sumOf(own.map(({ sizes }) => sizes.reports / Math.max(1, sizes.projects))) / own.length
}

function costOf({ curve, perPage }: Costs, projects: number): number {
  const pages = pagesOf(projects, perPage)
  return sumOf(
    [...curve.values()].map((one) => one.fixed + one.projects * projects + one.pages * pages),
  )
}

/** How many pages the project list has; an empty list is one page too. */
function pagesOf(projects: number, perPage: number): number {
  return Math.max(1, Math.ceil(projects / perPage))
}

type Fits = Budget['typical']['fits']

function fitsOf(costs: Costs, { per_minute, per_hour }: RateLimits): Fits {
  return { per_minute: mostProjects(costs, per_minute), per_hour: mostProjects(costs, per_hour) }
}

/**
 * The most projects with which a run stays within a limit; null if its requests do not depend on them, or if there is no limit.
 */
function mostProjects(costs: Costs, limit: WindowLimit): number | null {
  if (limit === 'unlimited' || growthOf(costs) < LEAST_GROWTH) return null
  const isWithin = (projects: number) => costOf(costs, projects) <= limit + TOLERANCE
  let beyond = 1
  while (isWithin(beyond)) beyond *= 2
  let most = 0
  while (beyond - most > 1) {
    const middle = Math.floor((most + beyond) / 2)
    if (isWithin(middle)) most = middle
    else beyond = middle
  }
  return most
}

/** Requests for each further project; less than this is rounding error. */
const LEAST_GROWTH = 1e-6
/** For rounding errors in sums of floating-point numbers. */
const TOLERANCE = 1e-6

function growthOf({ curve, perPage }: Costs): number {
  return sumOf([...curve.values()].map(({ projects, pages }) => projects + pages / perPage))
}

function lesser(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

/** The saving that lets the most projects fit, if it is worth mentioning. */
function largestSaving(
  { typical }: Model,
  { syncs, limits }: { syncs: readonly RunLoad[]; limits: RateLimits },
): Budget['saving'] {
  const { perPage } = typical
  const savings = Array.from(typical.curve, ([asked, own]) => {
    const saving = findSaving(asked, syncs)
    const growth = growthOf({ curve: new Map([[asked, own]]), perPage })
    return { asked, own, saving, saved: growth * (saving?.share ?? 0) }
  })
  const most = savings.reduce((best, one) => (one.saved > best.saved ? one : best))
  const { asked, own, saving, saved } = most
  if (!saving || saved < Math.max(LEAST_GROWTH, growthOf(typical) * LEAST_SAVED)) return undefined
  const left = 1 - saving.share
  const less = { ...own, projects: own.projects * left, pages: own.pages * left }
  const curve = new Map([...typical.curve, [asked, less]])
  return {
    endpoint: nameOf(asked),
    avoidable: round(saving.share),
    instead: saving.instead,
    fits: fitsOf({ curve, perPage }, limits),
  }
}

const LEAST_SAVED = 0.05

/** Whether the numbers of projects differ enough between runs to show what grows with them. */
function isVaried(runs: readonly Run[]): boolean {
  const { lowest, highest } = rangeOf(runs.map(({ sizes }) => sizes.projects))
  return highest - lowest >= Math.max(3, lowest / 4)
}

/** Whether the number of projects alone predicts the requests of every run except the heaviest. */
function isExact({ runs, typical, heaviest }: Model): boolean {
  return runs.every(
    (run) =>
      run === heaviest.run ||
      Math.abs(costOf(typical, run.sizes.projects) - run.requests) < HALF_A_REQUEST,
  )
}

const HALF_A_REQUEST = 0.5

function nameOf(asked: Asked): string {
  return asked === 'unknown' ? 'Unknown paths' : toEndpoint(asked)
}

function rangeOf(values: readonly number[]): Budget['requests'] {
  const sorted = inOrder(values)
  return { lowest: sorted[0]!, median: medianOf(values), highest: sorted.at(-1)! }
}

/** The value in the middle; of two, the smaller one. */
function medianOf(values: readonly number[]): number {
  return inOrder(values)[Math.ceil(values.length / 2) - 1]!
}

function inOrder(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** Rounds to four decimals, which are enough to show. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
