import { DAY_MS, HOUR_MS, MINUTE_MS, wholeMinute } from '../../contract/moments.ts'
import { NO_MISHAPS, USUAL_MISHAPS } from '../timeline.ts'
import type { Mishaps, Timeline } from '../timeline.ts'

/** When the reports of a project are due. */
interface Schedule {
  /** How many reports are due up to the month of the load. */
  dueReports: number
  /** The day of the month, 1 to 28. */
  dueDay: number
}

/** What a project of a showcase is in the middle of when the world starts. */
export interface Situation {
  /** Its place among the generated projects. */
  index: number
  /** For people, after its name: `new: created 3 days ago`. */
  shows: string
  /** The status of the project, where that is not `active`. */
  status?: string
  /** Its schedule, from the one that was drawn. */
  schedule: (drawn: Schedule, loadedMs: number) => Schedule
  /** When the project was created, where that does not follow from its schedule. */
  createdMs?: (loadedMs: number) => number
  /** How one of its reports goes. `isLastDue` marks the one that was due last when the world started. */
  timeline: (planned: Timeline, report: { isLastDue: boolean; loadedMs: number }) => Timeline
}

/** At least this many reports are due, so that a project has a past. */
const LEAST_DUE = 4

const LATE_DAYS = 12
const FAILED_DAYS = 5
const PAUSED_DAYS = 40
const NEW_DAYS = 3

/**
 * What a showcase shows, by rules that hold whenever the world starts: each is relative to the time of the load. In
 * the list of projects they stand apart, like problems among the many that have none.
 */
const SITUATIONS: readonly Situation[] = [
  {
    index: 3,
    shows: `late: a report that was due ${LATE_DAYS} days ago is still running, for six days more`,
    schedule: dueDaysAgo(LATE_DAYS),
    timeline: (planned, { isLastDue, loadedMs }) =>
      isLastDue ? completedAt(wholeMinute(loadedMs) + 6 * DAY_MS, planned) : planned,
  },
  {
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
    index: 38,
    shows: `new: created ${NEW_DAYS} days ago, with keywords and pending reports`,
    schedule: ({ dueDay }) => ({ dueReports: 0, dueDay }),
    createdMs: (loadedMs) => wholeMinute(loadedMs) - NEW_DAYS * DAY_MS,
    timeline: (planned) => planned,
  },
  {
    index: 24,
    shows: 'paused: what was due since then stays pending, and nothing new is created',
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
]

/** What the project at this place of a showcase shows; undefined for a healthy one. */
export function situationOf(index: number): Situation | undefined {
  return SITUATIONS.find((situation) => situation.index === index)
}

/** The situations that a showcase of so many projects has room for, in the order of their places. */
export function situationsAmong(projects: number): Situation[] {
  return SITUATIONS.filter(({ index }) => index < projects).toSorted(
    (one, other) => one.index - other.index,
  )
}

/** Mishaps up to this month, counted from the load, are over by then: a report is at most fifty days late. */
const LAST_MONTH_OF_MISHAPS = -3

/**
 * What may happen to a report that is due this many months after the load. In a showcase everything goes well at first,
 * apart from its situations; before and after that as usual.
 */
export function mishapsOf(months: number, isShowcase: boolean): Mishaps {
  const isQuiet = isShowcase && months > LAST_MONTH_OF_MISHAPS && months <= 0
  return isQuiet ? NO_MISHAPS : USUAL_MISHAPS
}

function withPast({ dueReports, dueDay }: Schedule): Schedule {
  return { dueReports: Math.max(dueReports, LEAST_DUE), dueDay }
}

/** The schedule of a project whose last report was due this many days before the load, or up to three more. */
function dueDaysAgo(days: number): Situation['schedule'] {
  return (drawn, loadedMs) => {
    const day = new Date(loadedMs - days * DAY_MS).getUTCDate()
    return { ...withPast(drawn), dueDay: Math.min(day, 28) }
  }
}

/** The timeline of a report that is completed at this time, approved a day later, and sent. */
function completedAt(completedMs: number, { createdMs, startedMs, sentMs }: Timeline): Timeline {
  const approvedMs = completedMs + 20 * HOUR_MS
  return {
    createdMs,
    startedMs,
    completedMs,
    approvedMs,
    sentMs: Math.max(sentMs === Infinity ? 0 : sentMs, approvedMs + HOUR_MS),
  }
}
