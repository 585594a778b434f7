import { DAY_MS, HOUR_MS, MINUTE_MS, wholeMinute } from '../../contract/time.ts'
import { NO_MISHAPS, USUAL_MISHAPS } from '../report-timeline.ts'
import type { Mishaps, ReportTimeline } from '../report-timeline.ts'
import type { Generate } from './generate.ts'
import type { SituationName } from './fixture-companies.ts'

interface Schedule {
  /** Number of reports due by the end of the month of the load. */
  dueReports: number
  /** The day of the month on which reports are due, 1 to 28. */
  dueDay: number
}

/** A situation that a project may be in when the world starts, in a showcase or as a fixture requests. */
export interface Situation {
  name: SituationName
  /** Index of the project among the generated ones, if there are enough of them. */
  index: number
  /** Description for people, with a title first: `new: created 3 days ago`. */
  shows: string
  /** Status of the project; `active` if omitted. */
  status?: string
  /** Returns the project's schedule, adapted from the random one. */
  schedule: (drawn: Schedule, loadedMs: number) => Schedule
  /** Returns the creation time of the project, in epoch milliseconds; it follows from the schedule if omitted. */
  createdMs?: (loadedMs: number) => number
  /**
   * Returns the timeline of a report of the project, adapted from the planned one. `isLastDue` marks the report that was due last
   * when the world started.
   */
  timeline: (
    planned: ReportTimeline,
    report: { isLastDue: boolean; loadedMs: number },
  ) => ReportTimeline
}

/** Minimum number of due reports of a project with a situation other than `new`, so that it has a past. */
const MINIMUM_DUE = 4

const LATE_DAYS = 12
const FAILED_DAYS = 5
const PAUSED_DAYS = 40
const NEW_DAYS = 3

/**
 * The situations of a showcase. Their times are relative to the load, so that a situation is current whenever the world starts.
 * Their indexes are far apart, so that healthy projects lie between them.
 */
const SITUATIONS: readonly Situation[] = [
  {
    name: 'late',
    index: 3,
    shows: `late: a report that was due ${LATE_DAYS} days ago is still running, for six days more`,
    schedule: dueDaysAgo(LATE_DAYS),
    timeline: (planned, { isLastDue, loadedMs }) =>
      isLastDue ? completedAt(wholeMinute(loadedMs) + 6 * DAY_MS, planned) : planned,
  },
  {
    name: 'failing',
    index: 10,
    shows: 'failing: its report has failed and hides all later ones, until a retry in four days',
    schedule: dueDaysAgo(FAILED_DAYS),
    timeline: (planned, { isLastDue, loadedMs }) => {
      if (!isLastDue) return planned
      const retriedMs = wholeMinute(loadedMs) + 4 * DAY_MS
      const failed = { atMs: planned.startedMs + 20 * MINUTE_MS, retriedMs }
      return { ...completedAt(retriedMs + 30 * MINUTE_MS, planned), failed }
    },
  },
  {
    name: 'finished',
    index: 16,
    shows: 'just finished: a report was completed within the last half hour, and is to be approved',
    schedule: dueDaysAgo(0),
    timeline: (planned, { isLastDue, loadedMs }) => {
      if (!isLastDue) return planned
      const dueMs = Math.floor(planned.startedMs / DAY_MS) * DAY_MS
      const completedMs = Math.max(dueMs, wholeMinute(loadedMs) - 25 * MINUTE_MS)
      const startedMs = completedMs - 14 * MINUTE_MS
      return { ...completedAt(completedMs, planned), startedMs }
    },
  },
  {
    name: 'paused',
    index: 24,
    shows: 'paused: reports due since then stay pending, and no new ones are created',
    status: 'paused',
    schedule: withPast,
    timeline: (planned, { loadedMs }) => {
      const pausedMs = loadedMs - PAUSED_DAYS * DAY_MS
      if (planned.completedMs <= pausedMs) return planned
      const createdMs = planned.createdMs > pausedMs ? Infinity : planned.createdMs
      const never = { startedMs: Infinity, completedMs: Infinity, approvedMs: Infinity }
      return { createdMs, ...never, sentMs: Infinity }
    },
  },
  {
    name: 'new',
    index: 38,
    shows: `new: created ${NEW_DAYS} days ago, with keywords and pending reports`,
    schedule: ({ dueDay }) => ({ dueReports: 0, dueDay }),
    createdMs: (loadedMs) => wholeMinute(loadedMs) - NEW_DAYS * DAY_MS,
    timeline: (planned) => planned,
  },
]

/**
 * Returns the index of the project with a situation. If there are too few projects for all indexes, the first projects have the
 * situations.
 */
function placeOf(situation: Situation, projects: number): number {
  const last = Math.max(...SITUATIONS.map(({ index }) => index))
  return projects > last ? situation.index : SITUATIONS.indexOf(situation)
}

/** The situation of a generated project, and its company in the fixture. */
export interface Placed {
  /** Undefined for a healthy project. */
  situation?: Situation | undefined
  /** Index of the company that the fixture names; omitted for a generated company. */
  company?: number
}

type Cast = Pick<Generate, 'projects' | 'showcase' | 'companies'>

/**
 * Assigns indexes to the situations of a showcase and to the companies that a fixture names.
 *
 * - Situation of a company: the one in the fixture. In a showcase, the situations that no company states go in order to those of
 *   the first five companies that state none.
 * - Index of a company: that of its situation, if there are enough projects and no earlier company has it; otherwise the first
 *   free one; if none is free, that of the last project without a company.
 */
export function placeCompanies({
  projects,
  showcase,
  companies = [],
}: Cast): ReadonlyMap<number, Placed> {
  const placed = new Map<number, Placed>()
  const places = SITUATIONS.map((situation) => placeOf(situation, projects))
  if (showcase) {
    for (const [index, situation] of SITUATIONS.entries()) {
      const place = places[index] as number
      if (place < projects) placed.set(place, { situation })
    }
  }
  const shown = situationsOf(companies, showcase)
  const others: Placed[] = []
  for (const [company, situation] of shown.entries()) {
    const place = situation && placeOf(situation, projects)
    const isFree =
      place !== undefined && place < projects && placed.get(place)?.company === undefined
    if (isFree) placed.set(place, { situation, company })
    else others.push({ situation, company })
  }
  let next = 0
  for (const other of others) {
    while (next < projects && placed.has(next)) next += 1
    placed.set(next < projects ? next : lastWithoutCompany(placed), other)
  }
  return placed
}

/** Returns the situation of each company, in the order of the companies; undefined for a healthy project. */
function situationsOf(
  companies: NonNullable<Cast['companies']>,
  isShowcase: boolean,
): (Situation | undefined)[] {
  const stated = new Set(companies.map(({ situation }) => situation))
  const open = isShowcase ? SITUATIONS.filter(({ name }) => !stated.has(name)) : []
  return companies.map(({ situation }, index) => {
    if (situation !== undefined) return SITUATIONS.find(({ name }) => name === situation)
    return index < SITUATIONS.length ? open.shift() : undefined
  })
}

/** Returns the last index without a company. There is always one, because a world has no more companies than projects. */
function lastWithoutCompany(placed: ReadonlyMap<number, Placed>): number {
  const open = [...placed].filter(([, { company }]) => company === undefined)
  return Math.max(...open.map(([place]) => place))
}

/** Returns the projects with a situation, in the order of their indexes. */
export function situationsAmong(cast: Cast): { place: number; shows: string }[] {
  return [...placeCompanies(cast)]
    .flatMap(([place, { situation }]) => (situation ? [{ place, shows: situation.shows }] : []))
    .toSorted((one, other) => one.place - other.place)
}

/**
 * Returns the factor for the standings of a project's keywords in a month. `months` is counted from the month of the load, and
 * negative before it. A factor below 1 makes the standings better than usual.
 */
type Course = (months: number) => number

const YEAR = 12

/** The usual course in a showcase: growth over the past year. */
const GROWN: Course = (months) => interpolate(1.2, 0.9, (months + YEAR) / YEAR)

/** Course of a project that has risen from month to month over the past year. */
const RISEN: Course = (months) => interpolate(1.4, 0.5, (months + YEAR) / YEAR)

/** Course of a project that fell from the eighth month before the load to the fifth, and has recovered since. */
const RECOVERED: Course = (months) =>
  months < -5 ? interpolate(0.9, 2.6, (months + 8) / 3) : interpolate(2.6, 0.5, (months + 5) / 4)

/** Courses of the projects with a story, by index of the project. */
const STORIES: Readonly<Record<number, Course>> = { 0: RISEN, 6: RECOVERED }

/** Minimum number of due reports of a project with a story. */
const LONG_PAST = 12

function interpolate(from: number, to: number, share: number): number {
  return from + (to - from) * Math.min(1, Math.max(0, share))
}

/** Returns the course of a project, by index; undefined outside of a showcase. */
export function courseOf(
  index: number,
  { showcase }: Pick<Generate, 'showcase'>,
): Course | undefined {
  return showcase ? (STORIES[index] ?? GROWN) : undefined
}

/** True if the project at `index` has a story of its own in a showcase. */
export function hasStory(index: number, { showcase }: Pick<Generate, 'showcase'>): boolean {
  return showcase && index in STORIES
}

/** Returns a schedule with enough due reports to show the project's story; unchanged for a project without one. */
export function withStory(
  index: number,
  schedule: Schedule,
  options: Pick<Generate, 'showcase'>,
): Schedule {
  if (!hasStory(index, options)) return schedule
  return { ...schedule, dueReports: Math.max(schedule.dueReports, LONG_PAST) }
}

/**
 * Last month with mishaps before the load, relative to the month of the load. A failed or late report is completed at most about
 * fifty days after its due date, and so before the load.
 */
const LAST_MONTH_OF_MISHAPS = -3

/**
 * Returns the mishaps of a report that is due `months` after the month of the load. A showcase has none from two months before the
 * load to the month of the load, and none later for companies that a fixture names.
 */
export function mishapsOf(
  months: number,
  { isShowcase, isNamed }: { isShowcase: boolean; isNamed: boolean },
): Mishaps {
  const isQuiet = isShowcase && months > LAST_MONTH_OF_MISHAPS && (isNamed || months <= 0)
  return isQuiet ? NO_MISHAPS : USUAL_MISHAPS
}

function withPast({ dueReports, dueDay }: Schedule): Schedule {
  return { dueReports: Math.max(dueReports, MINIMUM_DUE), dueDay }
}

/**
 * Returns a function that schedules the last due report `days` before the load, or up to three days earlier, because `dueDay` is at
 * most 28.
 */
function dueDaysAgo(days: number): Situation['schedule'] {
  return (drawn, loadedMs) => {
    const day = new Date(loadedMs - days * DAY_MS).getUTCDate()
    return { ...withPast(drawn), dueDay: Math.min(day, 28) }
  }
}

/**
 * Returns the timeline of a report that is completed at `completedMs`, approved 20 hours later, and sent when planned, or an hour
 * after its approval if that is later.
 */
function completedAt(
  completedMs: number,
  { createdMs, startedMs, sentMs }: ReportTimeline,
): ReportTimeline {
  const approvedMs = completedMs + 20 * HOUR_MS
  return {
    createdMs,
    startedMs,
    completedMs,
    approvedMs,
    sentMs: Math.max(sentMs === Infinity ? 0 : sentMs, approvedMs + HOUR_MS),
  }
}
