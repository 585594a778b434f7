import { DAY_MS, resolveMs, toDateTime } from '../contract/time.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord, ReportStatus } from '../contract/report.ts'
import type { LedgerEntry } from './review.ts'
import type { ReviewedRequest } from './reviewed-request.ts'

const MAXIMUM_PROJECTS = 1000
const MAXIMUM_FINISHED_BY_COMMAND = 5000

/** The report that the client last saw under a report number, and the fetches of its content. */
interface Track {
  id: number
  status: ReportStatus
  isSeenCompleted: boolean
  /**
   * World clock at the latest response that showed the report completed after an unfinished state, in epoch
   * milliseconds; null without such a response.
   */
  finishedMs: number | null
  firstMs: number | null
  fetches: number
  digest: number
  isTwice: boolean
  isUnfinished: boolean
  /** True if the client fetched the content of an earlier, completed report with this number. */
  hasEarlier: boolean
}

export interface LedgerState {
  /** Tracks by project, then by report number. */
  projects: Map<number, Map<number, Track>>
  /** World clock when a command finished a report, in epoch milliseconds, by report id. */
  finished: Map<number, number>
}

interface ListOptions {
  session: number
  records: RecordReader
  /** The world clock when the review began, in epoch milliseconds. */
  startMs: number
  /** The world clock at the last request or command, in epoch milliseconds. */
  lastMs: number
  projects: readonly number[] | undefined
  /**
   * Returns true if the reports list shows a report. A hidden report is in the ledger only if the client saw a report
   * with its number.
   */
  isShown: (report: ReportRecord) => boolean
}

export class DeliveryLedger {
  readonly #state: LedgerState
  /**
   * The last `shown` object read into the tracks of each project. Most responses have the same object as the previous
   * one, and need not be read again.
   */
  readonly #shown = new WeakMap<object, object>()

  constructor(state: LedgerState) {
    this.#state = state
  }

  read({ operation, project, shown, worldMs, contentDigest }: Readonly<ReviewedRequest>): void {
    const tracks = this.#tracksOf(project!)
    if (!tracks || !shown?.reports) return
    const isContent = operation === 'getReportContent'
    if (!isContent && this.#shown.get(tracks) === shown) return
    this.#shown.set(tracks, shown)
    for (const { id, report_number, status } of shown.reports) {
      const before = tracks.get(report_number)
      const track = before?.id === id ? before : startTrack(id, status, { before, isContent })
      if (track !== before) tracks.set(report_number, track)
      if (status === 'completed' && track.status !== 'completed') track.finishedMs = worldMs
      track.status = status
      if (isContent) noteFetch(track, worldMs, contentDigest)
      track.isSeenCompleted ||= status === 'completed'
    }
  }

  /**
   * True if the client saw the requested report completed before this request for its content. Also true for other
   * endpoints, and for a project that a full ledger left out.
   */
  hasSeenCompleted({ operation, project, shown }: Readonly<ReviewedRequest>): boolean {
    if (operation !== 'getReportContent' || project === null) return true
    const tracks = this.#state.projects.get(project)
    if (!tracks) return this.#state.projects.size >= MAXIMUM_PROJECTS
    const number = shown?.reports?.[0]?.report_number
    return number !== undefined && tracks.get(number)?.isSeenCompleted === true
  }

  finish(report: number, worldMs: number): void {
    const { finished } = this.#state
    if (finished.has(report) || finished.size >= MAXIMUM_FINISHED_BY_COMMAND) return
    finished.set(report, worldMs)
  }

  /**
   * Lists the finished reports of `projects`, by project and number. If `projects` is omitted, lists those of the
   * projects that the client read.
   */
  list({ projects = [...this.#state.projects.keys()], ...options }: ListOptions): LedgerEntry[] {
    const ids = [...new Set(projects)].toSorted((one, other) => one - other)
    return ids.flatMap((project) => this.#listProject(project, options))
  }

  #listProject(project: number, options: Omit<ListOptions, 'projects'>): LedgerEntry[] {
    const { session, records, lastMs, isShown } = options
    const tracks = this.#state.projects.get(project)
    // A full ledger does not record the reads of this project, so all its reports would look missing.
    if (!tracks && this.#state.projects.size >= MAXIMUM_PROJECTS) return []
    const momentsMs = records.reportMomentsOf(project).filter((ms) => ms <= lastMs)
    const reports = records
      .reportsOf(project, lastMs)
      .filter(({ status }) => status === 'completed')
      .filter((report) => isShown(report) || tracks?.has(report.report_number))
      .toSorted((one, other) => one.report_number - other.report_number)
    if (reports.length === 0) return []
    const finished = finishedByTime(project, records, momentsMs)
    return reports.map((report) => {
      const track = tracks?.get(report.report_number)
      const own = track?.id === report.id ? track : undefined
      const finishedMs =
        this.#state.finished.get(report.id) ?? finished.get(report.id) ?? own?.finishedMs ?? null
      return {
        session,
        project,
        report_number: report.report_number,
        report_id: report.id,
        finished_at: toMoment(finishedMs),
        first_fetched_at: toMoment(own?.firstMs ?? null),
        fetches: own?.fetches ?? 0,
        state: stateOf(report, { track, own, finishedMs, startMs: options.startMs }),
      }
    })
  }

  #tracksOf(project: number): Map<number, Track> | undefined {
    const { projects } = this.#state
    const known = projects.get(project)
    if (known || projects.size >= MAXIMUM_PROJECTS) return known
    const tracks = new Map<number, Track>()
    projects.set(project, tracks)
    return tracks
  }
}

function startTrack(
  id: number,
  status: ReportStatus,
  { before, isContent }: { before: Track | undefined; isContent: boolean },
): Track {
  return {
    id,
    status,
    // A client that fetches content without a list first cannot know that the report was regenerated, so it is enough
    // that the client saw the earlier report completed.
    isSeenCompleted: isContent && before?.isSeenCompleted === true,
    finishedMs: null,
    firstMs: null,
    fetches: 0,
    digest: 0,
    isTwice: false,
    isUnfinished: false,
    hasEarlier: before !== undefined && (before.hasEarlier || before.fetches > 0),
  }
}

function noteFetch(track: Track, worldMs: number, digest: number): void {
  if (track.status !== 'completed') {
    track.isUnfinished ||= !track.isSeenCompleted
    return
  }
  track.isTwice ||= track.fetches > 0 && track.digest === digest
  track.fetches += 1
  track.firstMs ??= worldMs
  track.digest = digest
}

/** Returns the times at which reports of a project finished without a command, in epoch milliseconds, by report id. */
function finishedByTime(
  project: number,
  records: RecordReader,
  momentsMs: readonly number[],
): Map<number, number> {
  const finished = new Map<number, number>()
  let before = new Map<number, ReportStatus>()
  for (const ms of [...new Set(momentsMs)].toSorted((one, other) => one - other)) {
    const reports = records.reportsOf(project, ms)
    for (const { id, status } of reports) {
      const known = before.get(id)
      if (status === 'completed' && known !== undefined && known !== 'completed')
        finished.set(id, ms)
    }
    before = new Map(reports.map(({ id, status }) => [id, status]))
  }
  return finished
}

interface Delivery {
  track: Track | undefined
  /** `track` if it is about this report; otherwise undefined. */
  own: Track | undefined
  finishedMs: number | null
  startMs: number
}

function stateOf(
  report: ReportRecord,
  { track, own, finishedMs, startMs }: Delivery,
): LedgerEntry['state'] {
  if (!own?.fetches) {
    const hasOther = own
      ? own.hasEarlier
      : (track?.hasEarlier ?? false) || (track?.fetches ?? 0) > 0
    if (hasOther) return 'stale'
    return own?.isUnfinished ? 'unfinished' : 'missing'
  }
  if (own.isUnfinished) return 'unfinished'
  const { date_to_send_to_client: due } = report
  const dueMs = due === null ? Infinity : resolveMs(due, startMs) + DAY_MS
  const couldBeOnTime = dueMs >= startMs && (finishedMs === null || finishedMs < dueMs)
  if (couldBeOnTime && own.firstMs !== null && own.firstMs >= dueMs) return 'late'
  return own.isTwice ? 'twice' : 'delivered'
}

function toMoment(ms: number | null): string | null {
  return ms === null ? null : toDateTime(ms)
}
