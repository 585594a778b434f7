import type { Progress } from './progress.ts'
import { resolveMs, wholeMinute } from '../contract/moments.ts'
import type { ReportRecord } from '../contract/report.ts'
import { createRandom } from './random.ts'
import { changesOf, createTimeline, momentsOf, NO_MISHAPS, statusAt } from './timeline.ts'
import type { Timeline } from './timeline.ts'

export interface ProgressOptions {
  progress: Progress
  seed: string
  /** The world clock at load, in epoch milliseconds. */
  loadedMs: number
  /** The world clock, in epoch milliseconds. */
  nowMs: () => number
  /** How often the reports of each project were read already. */
  reads?: Iterable<[project: number, count: number]>
}

/**
 * How far the reports of a world have come. Nothing waits for it: where a report stands is worked out
 * when it is read, from the world clock or from how often its project was read.
 */
export class ReportProgress {
  readonly #options: ProgressOptions
  readonly #timelines = new WeakMap<ReportRecord, Timeline | null>()
  readonly #readsOf: Map<number, number>

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#readsOf = new Map(options.reads)
  }

  /** What it goes by, and how often the reports of each project were read: for another one to go on from. */
  save(): Omit<ProgressOptions, 'nowMs'> & { reads: [project: number, count: number][] } {
    const { progress, seed, loadedMs } = this.#options
    return { progress, seed, loadedMs, reads: [...this.#readsOf] }
  }

  /** Whether reports move by themselves. */
  get isMoving(): boolean {
    return this.#options.progress.mode !== 'manual'
  }

  /** Whether it is the world clock that moves them. */
  get isMovingWithTime(): boolean {
    return this.#options.progress.mode === 'time'
  }

  /** Counts a read of a project's reports; whether they may have moved by it. */
  countRead(project: number): boolean {
    const { mode, reads } = this.#options.progress
    if (mode !== 'reads') return false
    const count = (this.#readsOf.get(project) ?? 0) + 1
    this.#readsOf.set(project, count)
    return count % reads === 0
  }

  /**
   * The time that a project's reports have moved to, in epoch milliseconds at a whole minute. `changes`
   * are the moments at which one of them changes, in any order; they count where reads move reports.
   * `atMs` is a time of the world clock to say it for in place of now.
   */
  timeOf(project: number, changes: () => readonly number[], atMs?: number): number {
    const { progress, loadedMs, nowMs } = this.#options
    switch (progress.mode) {
      case 'manual':
        return wholeMinute(loadedMs)
      case 'time':
        return wholeMinute(atMs ?? nowMs())
      case 'reads': {
        const steps = Math.floor((this.#readsOf.get(project) ?? 0) / progress.reads)
        if (steps === 0) return wholeMinute(loadedMs)
        const ahead = changes()
          .filter((ms) => ms > wholeMinute(loadedMs))
          .toSorted((one, other) => one - other)
        return ahead[Math.min(steps, ahead.length) - 1] ?? wholeMinute(loadedMs)
      }
    }
  }

  /**
   * Written reports as they have moved since they were loaded, up to now or a time of the world clock;
   * those that `isWritten` denies stay.
   */
  move(
    project: number,
    reports: readonly ReportRecord[],
    isWritten: (report: ReportRecord) => boolean,
    atMs?: number,
  ): readonly ReportRecord[] {
    const timelines = reports.map((report) => (isWritten(report) ? this.#timelineOf(report) : null))
    const changes = () => timelines.flatMap((timeline) => (timeline ? changesOf(timeline) : []))
    const moved = this.timeOf(project, changes, atMs)
    const ms = Math.max(moved, wholeMinute(this.#options.loadedMs))
    return reports.map((report, index) => {
      const timeline = timelines[index]
      return timeline ? reportAt(report, timeline, ms) : report
    })
  }

  /** The moments of the world clock at which one of those reports moves, in any order. */
  momentsOf(
    reports: readonly ReportRecord[],
    isWritten: (report: ReportRecord) => boolean,
  ): number[] {
    if (!this.isMovingWithTime) return []
    return reports.filter(isWritten).flatMap((report) => {
      const timeline = this.#timelineOf(report)
      return timeline ? momentsOf(timeline) : []
    })
  }

  #timelineOf(report: ReportRecord): Timeline | null {
    const known = this.#timelines.get(report)
    if (known !== undefined) return known
    const timeline = this.#createTimeline(report)
    this.#timelines.set(report, timeline)
    return timeline
  }

  /** The course of a report that is pending with a date, or running; null for what does not move. */
  #createTimeline(report: ReportRecord): Timeline | null {
    const { seed, loadedMs } = this.#options
    const { id, status, date_to_create_texts: due, date_to_send_to_client: send } = report
    if (status !== 'running' && (status !== 'pending' || due === null)) return null
    const dueMs = due === null ? -Infinity : resolveMs(due, loadedMs)
    const sendMs = send === null ? Infinity : resolveMs(send, loadedMs)
    const random = createRandom(seed, 'written', id)
    const createdMs = wholeMinute(loadedMs)
    const timeline = createTimeline({ createdMs, dueMs, sendMs }, NO_MISHAPS, random)
    return status === 'pending' ? timeline : startedAt(createdMs, timeline)
  }
}

/** The same course, begun at another time. */
function startedAt(startedMs: number, timeline: Timeline): Timeline {
  const durationMs = timeline.completedMs - timeline.startedMs
  return { ...timeline, startedMs, completedMs: startedMs + durationMs }
}

/** A report with the status that its course has at a time, and what comes with that. */
function reportAt(report: ReportRecord, timeline: Timeline, ms: number): ReportRecord {
  const status = statusAt(timeline, ms)
  if (status === report.status) return report
  return {
    ...report,
    status,
    approved_status: ms >= timeline.approvedMs ? 'approved' : report.approved_status,
    managed_status: ms >= timeline.approvedMs ? 'completed' : report.managed_status,
    sent: report.sent || ms >= timeline.sentMs,
  }
}
