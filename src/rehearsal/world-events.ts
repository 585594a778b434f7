import { LAST_REPORT_NUMBER } from '../contract/limits.ts'
import { DAY_MS, toDate, toDateTime } from '../contract/time.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ProjectRecord } from '../contract/project.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { Random } from '../records/random.ts'
import type { Plan } from '../review/review.ts'
import type { Command } from '../world/commands/index.ts'
import type { ReportEvent } from './report-events.ts'

/** A change that commands make to the world before a run. `end`, if any, undoes it before a later run. */
export interface WorldEvent {
  /** The change as a phrase: `project 1041 is added`. */
  text: string
  /** Index of the run before which the change happens. */
  run: number
  commands: Command[]
  /** Id of the project that the event removes; omitted if it removes none. */
  removes?: number
  /** The disturbance that the change causes in its run: the token is refused, or has few requests. */
  disturbs?: 'refused' | 'tight'
  /** Ids of the added projects that are beyond the first page of the list. */
  pastPage?: readonly number[]
  /** Commands that undo the change before a later run. */
  end?: { run: number; text: string; commands: Command[] }
}

type NotRehearsed = Plan['lacks'][number]

/** Number of calm runs at the end of a rehearsal, in which the client can fetch missed reports. */
export const CALM_AT_THE_END = 7

interface PlanningContext {
  records: RecordReader
  token: TokenRecord
  random: Random
  /** Start of each run, in epoch milliseconds. */
  times: readonly number[]
  /** Indexes of the runs during which a month ends. */
  monthEnds: ReadonlySet<number>
  events: readonly ReportEvent[]
}

/** A full page of 100 projects (specification 4.3), and `PROJECTS_WITH_REPORT` projects beyond it. */
const PROJECTS_PAST_A_PAGE = 103
const PROJECTS_WITH_REPORT = 3
const TIGHT_HOURLY_LIMIT = 30

/**
 * Plans the events of a rehearsal that need commands, and lists those that the world or the number of runs does not
 * allow.
 */
export function planWorldEvents(context: PlanningContext): {
  events: WorldEvent[]
  notRehearsed: NotRehearsed[]
} {
  const created = [
    addProject,
    pauseProject,
    removeProject,
    growPastPage,
    disableToken,
    tightenHour,
  ].map((create) => create(context))
  const removals = created.flatMap((one) => ('reason' in one ? [] : one.events))
  created.push(finishByCommand(context, removals))
  return {
    events: created.flatMap((one) => ('reason' in one ? [] : one.events)),
    notRehearsed: created.flatMap((one) => ('reason' in one ? [one] : [])),
  }
}

type Planned = { events: WorldEvent[] } | NotRehearsed

/** Returns the index of the run at a fraction of all runs. Never returns the first run, unless it is the only one. */
function runAt({ times }: PlanningContext, share: number): number {
  return Math.min(Math.max(1, Math.round(times.length * share)), times.length - 1)
}

function ownProjects({ records, token }: PlanningContext): readonly ProjectRecord[] {
  return records.projectsOf({ agency: token.agency ?? undefined, status: 'active' })
}

/** Ids of at least this value occur only in worlds that test the limits of ids. The search for a free id ignores them. */
const HIGH_ID = 1e12

function freeId(records: RecordReader, collection: 'projects' | 'reports'): number {
  const ids = records.allStored(collection).map(({ id }) => id)
  return Math.max(0, ...ids.filter((id) => id < HIGH_ID)) + 900_000
}

const NO_PROJECT = 'No active project of its agency could be copied.'
const FEW_PROJECTS = 'It has fewer than three active projects.'

function addProject(context: PlanningContext): Planned {
  const event = 'a project is added'
  const [model] = ownProjects(context)
  if (!model) return { event, reason: NO_PROJECT }
  const { records, times } = context
  const run = runAt(context, 0.2)
  const [id, report] = [freeId(records, 'projects'), freeId(records, 'reports')]
  const startMs = times[run]!
  const hasLast = context.events.some(({ kind }) => kind === 'last-report')
  // Rehearses the last report of a project if no other project reaches it.
  const numbers = hasLast ? [1, 2] : [LAST_REPORT_NUMBER - 1, LAST_REPORT_NUMBER]
  const reports = numbers.map((report_number, index) => ({
    id: report + index,
    project: id,
    report_number,
    dueMs: startMs + (index * 20 + 2) * DAY_MS,
  }))
  const commands: Command[] = [
    putProject({ ...model, id, name: 'A new project', created_at: toDateTime(startMs) }),
    ...reports.map(putReport),
  ]
  const completions = completeAfter(context, reports)
  return { events: [{ text: `project ${id} is added`, run, commands }, ...completions] }
}

interface AddedReport {
  id: number
  project: number
  report_number: number
  dueMs: number
}

/**
 * Plans the completion of added reports, because those do not progress by themselves. A report is completed before the
 * first run at or after its `dueMs`; never, if there is no such run.
 */
function completeAfter({ times }: PlanningContext, reports: readonly AddedReport[]): WorldEvent[] {
  return reports.flatMap(({ id, project, report_number, dueMs }) => {
    const run = times.findIndex((ms) => ms >= dueMs)
    return run === -1 ? [] : [completion(run, { id, project, report_number })]
  })
}

function completion(
  run: number,
  { id, project, report_number }: Omit<AddedReport, 'dueMs'>,
): WorldEvent {
  const text = `report ${report_number} of project ${project} is completed`
  return { text, run, commands: [{ type: 'report.complete', report: id }] }
}

function pauseProject(context: PlanningContext): Planned {
  const event = 'a project is paused'
  const projects = ownProjects(context)
  if (projects.length < 3) return { event, reason: FEW_PROJECTS }
  const { id } = context.random.pick(projects.slice(1, Math.ceil(projects.length / 2)))
  const patch = (status: string) => patchRecord('projects', id, { status })
  const end = {
    run: runAt(context, 0.6),
    text: `project ${id} is active again`,
    commands: [patch('active')],
  }
  const text = `project ${id} is paused`
  return { events: [{ text, run: runAt(context, 0.35), commands: [patch('paused')], end }] }
}

function removeProject(context: PlanningContext): Planned {
  const event = 'a project is gone'
  const projects = ownProjects(context)
  if (projects.length < 3) return { event, reason: FEW_PROJECTS }
  const { id } = context.random.pick(projects.slice(Math.ceil(projects.length / 2)))
  const commands: Command[] = [{ type: 'record.delete', collection: 'projects', id }]
  const run = runAt(context, 0.5)
  return { events: [{ text: `project ${id} is gone`, run, commands, removes: id }] }
}

/**
 * Plans a period with more than one page of projects. It starts after about two thirds of the runs, and lasts 30 days,
 * or until 95 % of the runs are over if that is earlier.
 */
function growPastPage(context: PlanningContext): Planned {
  const event = 'there are more than 100 projects for a month'
  const projects = ownProjects(context)
  const [model] = projects
  if (!model) return { event, reason: NO_PROJECT }
  const { records, times } = context
  const run = runAt(context, 0.66)
  const firstMs = times[run]!
  const last = times.findIndex((ms) => ms >= firstMs + 30 * DAY_MS)
  const end = Math.min(last === -1 ? times.length - 1 : last, runAt(context, 0.95))
  if (end <= run + 1) return { event, reason: TOO_FEW }
  const first = freeId(records, 'projects') + 1000
  const ids = Array.from(
    { length: Math.max(PROJECTS_WITH_REPORT, PROJECTS_PAST_A_PAGE - projects.length) },
    (_, index) => first + index,
  )
  const report = freeId(records, 'reports') + 1000
  const pastPage = ids.slice(-PROJECTS_WITH_REPORT)
  const reports = pastPage.map((project, index) => ({
    id: report + index,
    project,
    report_number: 1,
    dueMs: firstMs + (index + 1) * DAY_MS,
  }))
  const commands: Command[] = [
    ...ids.map((id) =>
      putProject({ ...model, id, name: `Project ${id}`, created_at: toDateTime(firstMs) }),
    ),
    ...reports.map(putReport),
  ]
  const completions = completeAfter(context, reports).filter((one) => one.run < end)
  const removal = ids.map((id): Command => ({ type: 'record.delete', collection: 'projects', id }))
  return {
    events: [
      {
        text: `there are ${projects.length + ids.length} projects, more than a page`,
        run,
        commands,
        pastPage,
        end: { run: end, text: `${ids.length} projects are gone`, commands: removal },
      },
      ...completions,
    ],
  }
}

/**
 * Returns the index of the first run, at or after a fraction of all runs, that may be disturbed; undefined if there is
 * none. Runs in which a month ends, and the last `CALM_AT_THE_END`, are not disturbed.
 */
function freeRunAt(context: PlanningContext, share: number): number | undefined {
  const { times, monthEnds } = context
  const last = times.length - CALM_AT_THE_END - 1
  for (let run = runAt(context, share); run <= last; run += 1) if (!monthEnds.has(run)) return run
  return undefined
}

const TOO_FEW = 'There are too few runs.'

function disableToken(context: PlanningContext): Planned {
  const { id } = context.token
  const text = 'its token is disabled for a run'
  const run = freeRunAt(context, 0.42)
  if (run === undefined) return { event: text, reason: TOO_FEW }
  const patch = (status: TokenRecord['status']) => patchRecord('tokens', id, { status })
  const end = { run: run + 1, text: 'its token is active again', commands: [patch('active')] }
  return { events: [{ text, run, commands: [patch('disabled')], disturbs: 'refused', end }] }
}

function tightenHour(context: PlanningContext): Planned {
  const { id, rate_limit } = context.token
  const run = freeRunAt(context, 0.28)
  if (run === undefined) return { event: 'an hour is tight', reason: TOO_FEW }
  const patch = (limit: TokenRecord['rate_limit']) =>
    patchRecord('tokens', id, { rate_limit: limit })
  const end = {
    run: run + 1,
    text: 'its token has its limits again',
    commands: [patch(rate_limit)],
  }
  const text = `its token has ${TIGHT_HOURLY_LIMIT} requests an hour for a run`
  const tight = { per_minute: 'unlimited', per_hour: TIGHT_HOURLY_LIMIT } as const
  return { events: [{ text, run, commands: [patch(tight)], disturbs: 'tight', end }] }
}

/**
 * Plans commands that complete pending and running reports of projects that still exist. Plans none if time alone completes a
 * report other than the last of a project (number 26).
 */
function finishByCommand(context: PlanningContext, others: readonly WorldEvent[]): Planned {
  const { records, times, events } = context
  if (events.some(({ kind }) => kind.startsWith('finished'))) return { events: [] }
  const event = 'reports are completed'
  const waiting = ownProjects(context).flatMap(({ id }) =>
    records.reportsOf(id).filter(({ status }) => status === 'pending' || status === 'running'),
  )
  if (waiting.length === 0) return { event, reason: 'It has no report that could be completed.' }
  const apart = Math.max(1, Math.floor((times.length - 10) / waiting.length))
  const completions = waiting.flatMap(({ id, project, report_number }, index): WorldEvent[] => {
    const run = 2 + index * apart
    const isGone = others.some(({ removes, run: before }) => removes === project && before <= run)
    if (isGone || run > times.length - CALM_AT_THE_END - 1) return []
    return [completion(run, { id, project, report_number })]
  })
  return { events: completions }
}

function patchRecord(
  collection: 'projects' | 'tokens',
  id: number,
  patch: Record<string, unknown>,
): Command {
  return { type: 'record.patch', collection, id, patch }
}

function putProject(record: ProjectRecord): Command {
  return { type: 'record.put', collection: 'projects', record }
}

function putReport({ dueMs, ...report }: AddedReport): Command {
  const record = {
    ...report,
    status: 'pending',
    created_at: toDateTime(dueMs - DAY_MS),
    date_to_create_texts: toDate(dueMs),
  }
  return { type: 'record.put', collection: 'reports', record }
}
