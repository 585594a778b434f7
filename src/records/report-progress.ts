import { DAY_MS, LATEST_MS, resolveMs, toDate, wholeMinute } from '../contract/time.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { Progress } from './progress.ts'
import { createRandom } from './random.ts'
import { approveReport, completeReport, manageReport, sendReport } from './report-transitions.ts'
import { ReportTexts } from './report-texts.ts'
import {
  createTimeline,
  DAYS_TO_CLIENT,
  movesOf,
  NO_MISHAPS,
  resumeTimeline,
  statusAt,
} from './report-timeline.ts'
import type { ReportTimeline } from './report-timeline.ts'

type ProjectReads = [project: number, reads: number, movedToMs: number]

interface WorldClock {
  worldMs: () => number
}

interface ProgressOptions {
  progress: Progress
  seed: string
  /** The world clock at load, in epoch milliseconds. */
  loadedMs: number
  clock: WorldClock
  reads?: Iterable<ProjectReads>
}

/** Returns the time from which a stored report moves, in epoch milliseconds; undefined for a report that stays as it is. */
export type MovesFrom = (report: ReportRecord) => number | undefined

/**
 * The progress of the reports of a world. There are no timers: the state of a report is computed when it is read, from the world
 * clock or from the number of reads of its project.
 */
export class ReportProgress {
  readonly #options: ProgressOptions
  readonly texts: ReportTexts
  readonly #timelines = new WeakMap<ReportRecord, ReportTimeline>()
  readonly #reads: Map<number, { count: number; movedToMs: number }>

  constructor(options: ProgressOptions) {
    this.#options = options
    this.texts = new ReportTexts(options.seed)
    const reads = [...(options.reads ?? [])]
    this.#reads = new Map(
      reads.map(([project, count, movedToMs]) => [project, { count, movedToMs }]),
    )
  }

  /** Returns the options and read counts from which another instance can continue. */
  save(): Omit<ProgressOptions, 'clock'> & { reads: ProjectReads[] } {
    const { progress, seed, loadedMs } = this.#options
    const reads = [...this.#reads].map(([project, { count, movedToMs }]): ProjectReads => [
      project,
      count,
      movedToMs,
    ])
    return { progress, seed, loadedMs, reads }
  }

  /** The world clock at load, in epoch milliseconds, rounded down to a whole minute. */
  get loadedMs(): number {
    return wholeMinute(this.#options.loadedMs)
  }

  get seed(): string {
    return this.#options.seed
  }

  /** False if only commands move reports. */
  get isMoving(): boolean {
    return this.#options.progress.mode !== 'manual'
  }

  get isMovingWithTime(): boolean {
    return this.#options.progress.mode === 'time'
  }

  /**
   * Returns the time for which generated keywords show their positions, in epoch milliseconds: the world clock if it moves
   * reports, otherwise the time of the load.
   */
  worldTime(): number {
    const { loadedMs, clock } = this.#options
    return this.isMovingWithTime ? clock.worldMs() : loadedMs
  }

  /**
   * If reads move reports, counts a read of a project's reports. Returns true if the read triggers the next move of a report.
   * `moves` returns the times of all moves, in epoch milliseconds, unordered; Infinity for a move that never happens.
   */
  countRead(project: number, moves: () => readonly number[]): boolean {
    const { mode, reads } = this.#options.progress
    if (mode !== 'reads') return false
    const movedToMs = this.timeOf(project)
    const count = (this.#reads.get(project)?.count ?? 0) + 1
    const ahead =
      count % reads === 0 ? moves().filter((ms) => ms > movedToMs && ms <= LATEST_MS) : []
    const nextMs = ahead.reduce((first, ms) => Math.min(first, ms), Infinity)
    const hasMoved = nextMs < Infinity
    this.#reads.set(project, { count, movedToMs: hasMoved ? nextMs : movedToMs })
    return hasMoved
  }

  /**
   * Returns the time to which a project's reports have moved, in epoch milliseconds at a whole minute. If the world clock moves
   * reports, `atMs` is a time to use instead of now; otherwise it has no effect.
   */
  timeOf(project: number, atMs?: number): number {
    const { progress, clock } = this.#options
    switch (progress.mode) {
      case 'manual':
        return this.loadedMs
      case 'time':
        return wholeMinute(atMs ?? clock.worldMs())
      case 'reads':
        return this.#reads.get(project)?.movedToMs ?? this.loadedMs
    }
  }

  /** Returns reports after their moves, up to now or, if the world clock moves reports, to `atMs`. */
  move(
    reports: readonly ReportRecord[],
    {
      movesFrom,
      records,
      atMs,
    }: { movesFrom: MovesFrom; records: RecordReader; atMs?: number | undefined },
  ): readonly ReportRecord[] {
    return reports.map((report) => {
      const fromMs = movesFrom(report)
      const timeline = this.#timelineOf(report, fromMs)
      if (!timeline || fromMs === undefined) return report
      const ms = Math.max(this.timeOf(report.project, atMs), fromMs)
      return this.#reportAt(ms, report, timeline, records)
    })
  }

  /** Returns the times of all moves of the reports, in epoch milliseconds, unordered; Infinity for a move that never happens. */
  movesOf(reports: readonly ReportRecord[], movesFrom: MovesFrom): number[] {
    return reports.flatMap((report) => {
      const timeline = this.#timelineOf(report, movesFrom(report))
      return timeline ? movesOf(timeline) : []
    })
  }

  /**
   * Returns the time at which a stored report last moved, or from which it moves if it has not moved yet, in epoch milliseconds;
   * undefined if it does not move.
   */
  lastMoveOf(report: ReportRecord, fromMs: number | undefined): number | undefined {
    const timeline = this.#timelineOf(report, fromMs)
    if (!timeline || fromMs === undefined) return undefined
    const nowMs = this.timeOf(report.project)
    return Math.max(fromMs, ...movesOf(timeline).filter((ms) => ms <= nowMs))
  }

  /**
   * Returns the timeline of a report that continues from `fromMs`; undefined if the report does not move, or waits for a
   * `date_to_create_texts` or a retry.
   */
  #timelineOf(report: ReportRecord, fromMs: number | undefined): ReportTimeline | undefined {
    if (fromMs === undefined) return undefined
    const { status, date_to_create_texts: due } = report
    if (status === 'failed' || (status === 'pending' && due === null)) return undefined
    const known = this.#timelines.get(report)
    if (known) return known
    const timeline = this.#createTimeline(report, fromMs)
    this.#timelines.set(report, timeline)
    return timeline
  }

  #createTimeline(report: ReportRecord, fromMs: number): ReportTimeline {
    const { seed, loadedMs } = this.#options
    const { status, approved_status, date_to_create_texts: due } = report
    const send = report.date_to_send_to_client
    const dueMs = due === null ? fromMs : resolveMs(due, loadedMs)
    // Without `date_to_create_texts` and `date_to_send_to_client`, a report is sent an hour after its approval.
    const dueToSendMs = due === null ? -Infinity : dueMs + DAYS_TO_CLIENT * DAY_MS
    const sendMs = send === null ? dueToSendMs : resolveMs(send, loadedMs)
    const random = createRandom(seed, 'written', report.id)
    const planned = createTimeline({ createdMs: fromMs, dueMs, sendMs }, NO_MISHAPS, random)
    const isApproved = approved_status === 'approved'
    const timeline = resumeTimeline(planned, { status, isApproved, sendMs }, fromMs)
    // A report whose approval status is neither `approved` nor empty, such as a refused report, is never approved or sent
    // automatically.
    return isApproved || !approved_status
      ? timeline
      : { ...timeline, approvedMs: Infinity, sentMs: Infinity }
  }

  #reportAt(
    ms: number,
    report: ReportRecord,
    timeline: ReportTimeline,
    records: RecordReader,
  ): ReportRecord {
    const status = statusAt(timeline, ms)
    if (status !== 'completed') return status === report.status ? report : { ...report, status }
    const isApproved = ms >= timeline.approvedMs && report.approved_status !== 'approved'
    const moved = isApproved ? approveAndManage(report, records) : report
    const isSent = ms >= timeline.sentMs && !report.sent
    const current = isSent ? sendReport(moved, timeline.sentMs) : moved
    if (report.status === 'completed') return current
    const lastDay = toDate(timeline.completedMs)
    return completeReport(current, { records, texts: this.texts, lastDay })
  }
}

/** Approves and manages a report. Unlike `manageReport` alone, keeps an existing `managed_status`. */
function approveAndManage(report: ReportRecord, records: RecordReader): ReportRecord {
  const managed_status = report.managed_status || 'completed'
  return { ...manageReport(approveReport(report, records), records), managed_status }
}
