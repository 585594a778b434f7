import { memoizeByObject } from '../contract/cache.ts'
import { resolveMs, wholeMinute } from '../contract/moments.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { Progress } from './progress.ts'
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
  /** How often the reports of each project have been read. */
  reads?: Iterable<[project: number, count: number]>
}

/**
 * How far the reports of a world have progressed. There are no timers: the state of a report is computed when it
 * is read, from the world clock or from how often its project was read.
 */
export class ReportProgress {
  readonly #options: ProgressOptions
  readonly #timelineOf = memoizeByObject((report: ReportRecord) => this.#createTimeline(report))
  readonly #readsOf: Map<number, number>

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#readsOf = new Map(options.reads)
  }

  /** Its options and read counts, for another one to continue from. */
  save(): Omit<ProgressOptions, 'nowMs'> & { reads: [project: number, count: number][] } {
    const { progress, seed, loadedMs } = this.#options
    return { progress, seed, loadedMs, reads: [...this.#readsOf] }
  }

  /** The seed of the world's generated data. */
  get seed(): string {
    return this.#options.seed
  }

  /** Whether reports move automatically. */
  get isMoving(): boolean {
    return this.#options.progress.mode !== 'manual'
  }

  /** Whether the world clock moves them. */
  get isMovingWithTime(): boolean {
    return this.#options.progress.mode === 'time'
  }

  /** The time of the world clock that records follow: that of the load, where time does not move them. */
  worldTime(): number {
    const { loadedMs, nowMs } = this.#options
    return this.isMovingWithTime ? nowMs() : loadedMs
  }

  /** Counts a read of a project's reports; returns whether it may have moved them. */
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
   * `atMs` is a time of the world clock to use instead of now.
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
   * Reports as they have moved since they were loaded, up to now or a time of the world clock. Those for which
   * `mayMove` is false stay as they are.
   */
  move(
    project: number,
    reports: readonly ReportRecord[],
    mayMove: (report: ReportRecord) => boolean,
    atMs?: number,
  ): readonly ReportRecord[] {
    const timelines = reports.map((report) => (mayMove(report) ? this.#timelineOf(report) : null))
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
    mayMove: (report: ReportRecord) => boolean,
  ): number[] {
    if (!this.isMovingWithTime) return []
    return reports.filter(mayMove).flatMap((report) => {
      const timeline = this.#timelineOf(report)
      return timeline ? momentsOf(timeline) : []
    })
  }

  /** The timeline of a report that is pending with a date, or running; null for one that does not move. */
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

/** The same timeline, started at another time. */
function startedAt(startedMs: number, timeline: Timeline): Timeline {
  const durationMs = timeline.completedMs - timeline.startedMs
  return { ...timeline, startedMs, completedMs: startedMs + durationMs }
}

/** A report with the status that its timeline has at a time, and the fields that change with it. */
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
