import type { ReportStatus } from '../contract/report.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../contract/time.ts'
import type { Random } from './random.ts'

/** Default number of days from `date_to_create_texts` of a report to its delivery to the customer. */
export const DAYS_TO_CLIENT = 7

/** Shares of reports with each kind of mishap, from 0 to 1. */
export interface Mishaps {
  /** Reports that fail at first, and are retried some time later. */
  failing: number
  /** Reports that are completed weeks after their due date. */
  late: number
  /** Reports that are never approved, and so never sent. */
  unapproved: number
  /** Reports that are regenerated, as a new row, months after they were completed. */
  regenerated: number
}

/** Mishaps that integrators have to cope with (traps T3 to T9). */
export const USUAL_MISHAPS: Mishaps = {
  failing: 0.05,
  late: 0.08,
  unapproved: 0.15,
  regenerated: 0.06,
}

export const NO_MISHAPS: Mishaps = { failing: 0, late: 0, unapproved: 0, regenerated: 0 }

/** Times at which a row of a report changes its state, in epoch milliseconds at whole minutes; Infinity for never. */
export interface ReportTimeline {
  createdMs: number
  startedMs: number
  /** Times at which the first attempt fails and is retried; absent if the first attempt succeeds. */
  failed?: { atMs: number; retriedMs: number }
  completedMs: number
  /** Time at which the row is approved and managed. */
  approvedMs: number
  /** Time at which the row is sent to the customer, after its approval. */
  sentMs: number
}

/** Draws the timeline of a report from the times of its creation, due date and delivery date, in epoch milliseconds. */
export function createTimeline(
  { createdMs, dueMs, sendMs }: { createdMs: number; dueMs: number; sendMs: number },
  mishaps: Mishaps,
  random: Random,
): ReportTimeline {
  const startedMs =
    Math.max(dueMs + random.integer(5 * 60, 9 * 60) * MINUTE_MS, createdMs) + MINUTE_MS
  const durationMs = random.integer(4, 50) * MINUTE_MS
  const isFailing = random.chance(mishaps.failing)
  const lateMs = random.chance(mishaps.late) ? random.integer(18, 45) * DAY_MS : 0
  const failedMs = startedMs + durationMs
  const retriedMs = failedMs + random.integer(1, 50 * 24) * HOUR_MS
  const completedMs = (isFailing ? retriedMs : startedMs + lateMs) + durationMs
  const approvedMs = random.chance(mishaps.unapproved)
    ? Infinity
    : completedMs + random.integer(1, 4 * 24) * HOUR_MS
  return {
    createdMs,
    startedMs,
    ...(isFailing && { failed: { atMs: failedMs, retriedMs } }),
    completedMs,
    approvedMs,
    sentMs: sentAt(sendMs, approvedMs),
  }
}

/**
 * Returns the time at which a report is sent, in epoch milliseconds: at 9:00 UTC on the day that begins at `sendMs`, or an hour
 * after its approval if that is later.
 */
function sentAt(sendMs: number, approvedMs: number): number {
  return Math.max(sendMs + 9 * HOUR_MS, approvedMs + HOUR_MS)
}

/**
 * Returns the planned timeline, shifted so that the report reaches `status` at `fromMs`; unchanged for a pending report. An
 * approved report counts as approved at `fromMs`.
 */
export function resumeTimeline(
  planned: ReportTimeline,
  { status, isApproved, sendMs }: { status: ReportStatus; isApproved: boolean; sendMs: number },
  fromMs: number,
): ReportTimeline {
  if (status === 'pending') return planned
  const laterMs = fromMs - (status === 'running' ? planned.startedMs : planned.completedMs)
  const approvedMs = isApproved ? fromMs : planned.approvedMs + laterMs
  return {
    createdMs: planned.createdMs,
    startedMs: planned.startedMs + laterMs,
    completedMs: planned.completedMs + laterMs,
    approvedMs,
    sentMs: sentAt(sendMs, approvedMs),
  }
}

/** Returns the time at which a completed report is regenerated, as a new row, in epoch milliseconds; Infinity for never. */
export function regeneratedAt(
  { completedMs }: ReportTimeline,
  mishaps: Mishaps,
  random: Random,
): number {
  if (!random.chance(mishaps.regenerated)) return Infinity
  return completedMs + random.integer(30 * 24, 90 * 24) * HOUR_MS
}

export function statusAt(timeline: ReportTimeline, ms: number): ReportStatus {
  const { startedMs, failed, completedMs } = timeline
  if (ms >= completedMs) return 'completed'
  if (failed && ms >= failed.atMs && ms < failed.retriedMs) return 'failed'
  return ms >= startedMs ? 'running' : 'pending'
}

/** Returns the times at which a row changes its status, is approved and is sent, in epoch milliseconds; Infinity for never. */
export function movesOf(timeline: ReportTimeline): number[] {
  const { startedMs, failed, completedMs, approvedMs, sentMs } = timeline
  const retry = failed ? [failed.atMs, failed.retriedMs] : []
  return [startedMs, ...retry, completedMs, approvedMs, sentMs]
}
