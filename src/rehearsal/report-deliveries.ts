import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import { DAY_MS, resolveMs, toDateTime } from '../contract/time.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { Delay, LedgerEntry } from '../review/review.ts'
import { isRead } from '../review/reviewed-request.ts'
import { isDelivered } from '../review/verdict.ts'
import { momentsOf } from './report-events.ts'

interface Delivery {
  project: number
  number: number
  id: number
  /** Completion by the world clock, in epoch milliseconds; null for a report that was completed from the start. */
  finishedMs: number | null
  /**
   * Deadline for the first fetch: the end of `date_to_send_to_client`, in epoch milliseconds; Infinity without that
   * date.
   */
  dueMs: number
  /** True if the report still exists and is completed. */
  isCurrent: boolean
  /** True if an earlier completed report had the same number. */
  isReplacement: boolean
  /** True if the client has, or is assumed to have, the content of an earlier report with the same number. */
  hasEarlier: boolean
  /**
   * True if the project had a completed report with a later `created_at` when this one was completed. `last-generated`
   * then shows the other report (specification 4.6).
   */
  isOlder: boolean
  /** True if the report had failed before it was completed. */
  hasFailed: boolean
  /** `date_to_create_texts` in epoch milliseconds; null without that date. */
  textsMs: number | null
  /** Index of the first run in which the content could be fetched; null until then. Outages are not counted. */
  firstRun: number | null
  /** Number of runs, except outages, in which the content could be fetched but was not. */
  chances: number
  /** Number of calm runs among `chances`. */
  calmChances: number
  /** Start of the run `firstRun`, in epoch milliseconds; null until then. */
  firstChanceMs: number | null
  /**
   * Start of the first calm run in which the content could be fetched but was not, in epoch milliseconds; null until
   * then.
   */
  firstCalmMs: number | null
  fetchedMs: number | null
  fetches: number
  digest: number
  isTwice: boolean
  /** Index of the run in which the content was last fetched; null if it never was. */
  lastRun: number | null
}

export type Undelivered = Readonly<Delivery> & { state: LedgerEntry['state'] }

interface DeliveriesOptions {
  records: RecordReader
  /** The agency of the client's token; null for all agencies. */
  agency: number | null
  startMs: number
  /** True if reports completed before the start must be fetched too. */
  includesEarlier: boolean
}

interface RunKind {
  isCalm: boolean
  isOutage: boolean
}

/**
 * The completed reports of a rehearsal, and the client's fetches of them. Includes reports that were later replaced, or
 * whose project was removed.
 */
export class Deliveries {
  /** Number of reports that were completed before the first run. */
  readonly known: number
  /**
   * Needless fetches: the content was unchanged, and a run had ended well since it was last fetched. `index` is that of
   * the run with the needless fetch.
   */
  readonly refetches: { index: number; request: RecordedRequest }[] = []
  readonly #options: DeliveriesOptions
  readonly #byId = new Map<number, Delivery>()
  /** By project, the latest delivery for each report number. */
  readonly #byProject = new Map<number, Map<number, Delivery>>()
  readonly #unfetched = new Set<Delivery>()
  /** By project, the times at which its reports change by themselves, in epoch milliseconds; valid for `#revision`. */
  readonly #moments = new Map<number, readonly number[]>()
  #revision = -1
  readonly #failed = new Set<number>()
  #nowMs: number
  readonly #readUnfinished = new Set<number>()
  #available: Delivery[] = []
  /** Start of the current run, by the world clock in epoch milliseconds. */
  #runMs = 0
  #runIndex = 0
  /** Index of the last run that ended well; -1 if none has. */
  #lastDone = -1

  constructor(options: DeliveriesOptions) {
    this.#options = options
    this.#nowMs = options.startMs
    for (const project of this.#projects()) this.#observe(project, options.startMs, null)
    this.known = this.#byId.size
    if (!options.includesEarlier) this.forgetEarlier()
  }

  /** Drops the unfetched reports that were completed before the first run, because the client need not fetch them. */
  forgetEarlier(): void {
    for (const [id, delivery] of this.#byId) {
      if (delivery.finishedMs !== null || delivery.fetches > 0) continue
      // The client is assumed to have the content, so an unfetched replacement of the report is `stale`, not `missing`.
      delivery.hasEarlier = true
      this.#byId.delete(id)
      this.#unfetched.delete(delivery)
    }
    this.#available = this.#available.filter((delivery) => this.#unfetched.has(delivery))
  }

  /** Records all changes of reports up to `nowMs`, by the world clock in epoch milliseconds. */
  advanceTo(nowMs: number): void {
    const { records } = this.#options
    const fromMs = this.#nowMs
    const hasChanged = records.revision !== this.#revision
    if (nowMs === fromMs && !hasChanged) return
    this.#revision = records.revision
    this.#nowMs = Math.max(nowMs, fromMs)
    if (hasChanged) this.#moments.clear()
    const projects = this.#projects()
    for (const project of projects) {
      const moments = this.#momentsBetween(project, fromMs, nowMs)
      // Only completions matter: nothing has to be recorded if reports were only approved or sent.
      if (!hasChanged && moments.length > 0 && this.#isAsBefore(project, nowMs)) continue
      for (const ms of moments) this.#observe(project, ms, ms)
      if (hasChanged) this.#observe(project, nowMs, nowMs)
    }
    if (!hasChanged) return
    const left = new Set(projects)
    for (const [project, current] of this.#byProject) {
      if (left.has(project)) continue
      for (const delivery of current.values()) this.#end(delivery)
      this.#byProject.delete(project)
    }
  }

  /**
   * Begins a run at `nowMs`, in epoch milliseconds, and selects the reports that it can fetch: the completed and
   * unfetched ones of active projects.
   */
  beginRun(index: number, nowMs: number): void {
    this.advanceTo(nowMs)
    this.#runMs = nowMs
    this.#runIndex = index
    const { records } = this.#options
    this.#available = [...this.#unfetched].filter(
      ({ project }) => records.get('projects', project)?.status === 'active',
    )
    for (const delivery of this.#available) {
      delivery.firstChanceMs ??= nowMs
      delivery.firstRun ??= index
    }
  }

  /** Ends a run. Returns true if it missed a report that no earlier run, except in an outage, could have fetched. */
  endRun(index: number, { isCalm, isOutage }: RunKind, isDone = true): boolean {
    if (isDone) this.#lastDone = index
    const open = this.#available.filter(({ fetches }) => fetches === 0)
    const hasMissed = open.some(({ firstRun }) => firstRun === index)
    for (const delivery of open) {
      if (isOutage) {
        if (delivery.chances > 0) continue
        delivery.firstChanceMs = null
        delivery.firstRun = null
        continue
      }
      delivery.chances += 1
      if (!isCalm) continue
      delivery.calmChances += 1
      delivery.firstCalmMs ??= this.#runMs
    }
    return hasMissed
  }

  read(recorded: RecordedRequest): void {
    const { target, shown, contentDigest } = recorded
    if (target.operation !== 'getReportContent' || !isRead(recorded)) return
    const worldMs = recorded.atMs + recorded.worldOffsetMs
    this.advanceTo(worldMs)
    const [report] = shown?.reports ?? []
    if (!report) return
    if (report.status !== 'completed') this.#readUnfinished.add(report.id)
    const delivery = this.#byId.get(report.id)
    if (report.status !== 'completed' || !delivery) return
    if (delivery.fetches > 0 && delivery.digest === contentDigest) {
      const isKnown = (delivery.lastRun ?? Infinity) <= this.#lastDone
      // A client may save its content only at the end of a run. After a failed run, it may have to fetch the content again.
      delivery.isTwice ||= isKnown || delivery.lastRun === this.#runIndex
      if (isKnown) this.refetches.push({ index: this.#runIndex, request: recorded })
    }
    delivery.lastRun = this.#runIndex
    delivery.fetches += 1
    delivery.fetchedMs ??= worldMs
    delivery.digest = contentDigest
    this.#unfetched.delete(delivery)
  }

  /** Lists the reports that were fetched, or that a calm run could have fetched; sorted by project and number. */
  list(): LedgerEntry[] {
    return this.#due().map((delivery) => {
      const { project, number, id, finishedMs, fetchedMs, fetches } = delivery
      return {
        session: 1,
        project,
        report_number: number,
        report_id: id,
        finished_at: finishedMs === null ? null : toDateTime(finishedMs),
        first_fetched_at: fetchedMs === null ? null : toDateTime(fetchedMs),
        fetches,
        state: this.#stateOf(delivery),
      }
    })
  }

  /**
   * Lists the reports that were fetched too late, or not at all although a calm run could have fetched them; sorted by
   * the first run that could.
   */
  undelivered(): Undelivered[] {
    return this.#due()
      .flatMap((delivery) => {
        const state = this.#stateOf(delivery)
        return isDelivered({ state }) ? [] : [{ ...delivery, state }]
      })
      .toSorted((one, other) => (one.firstRun ?? 0) - (other.firstRun ?? 0) || one.id - other.id)
  }

  /** Lists the reports that were fetched, but not by the first run that could have fetched them. */
  delays(): Delay[] {
    return this.#due().flatMap(({ project, number, id, chances, fetchedMs, firstChanceMs }) =>
      chances === 0 || fetchedMs === null || firstChanceMs === null
        ? []
        : [
            {
              project,
              report_number: number,
              report_id: id,
              runs: chances,
              ms: fetchedMs - firstChanceMs,
            },
          ],
    )
  }

  #due(): Delivery[] {
    return [...this.#byId.values()]
      .filter(({ fetches, calmChances }) => fetches > 0 || calmChances > 0)
      .toSorted(
        (one, other) =>
          one.project - other.project || one.number - other.number || one.id - other.id,
      )
  }

  #stateOf(delivery: Delivery): LedgerEntry['state'] {
    const { id, fetches, fetchedMs, hasEarlier, firstCalmMs, dueMs, isTwice } = delivery
    if (fetches === 0 || fetchedMs === null) {
      if (this.#readUnfinished.has(id)) return 'unfinished'
      return hasEarlier ? 'stale' : 'missing'
    }
    // A fetch is late only if a calm run could have fetched the content before the deadline.
    if (firstCalmMs !== null && firstCalmMs < dueMs && fetchedMs >= dueMs) return 'late'
    return isTwice ? 'twice' : 'delivered'
  }

  #projects(): number[] {
    const { records, agency } = this.#options
    return records
      .projectsOf({ agency: agency ?? undefined, status: undefined })
      .map(({ id }) => id)
  }

  #momentsBetween(project: number, fromMs: number, toMs: number): number[] {
    const { records, startMs } = this.#options
    let all = this.#moments.get(project)
    if (!all) {
      all = momentsOf(records, project, { fromMs: startMs, toMs: Infinity })
      this.#moments.set(project, all)
    }
    return all.filter((ms) => ms > fromMs && ms <= toMs)
  }

  /**
   * True if a project has the same completed reports as when last observed. Does not detect removed reports. Also adds
   * failed reports to `#failed`.
   */
  #isAsBefore(project: number, nowMs: number): boolean {
    const current = this.#byProject.get(project)
    let isAsBefore = true
    for (const { id, report_number, status } of this.#options.records.reportsOf(project, nowMs)) {
      if (status === 'failed') this.#failed.add(id)
      const known = current?.get(report_number)
      const isKnown = known?.isCurrent === true && known.id === id
      isAsBefore &&= isKnown === (status === 'completed')
    }
    return isAsBefore
  }

  /**
   * Starts deliveries of the reports of a project that are completed at `atMs`, and ends those of its other reports.
   * `finishedMs` is the time of completion; null for reports completed before the first run.
   */
  #observe(project: number, atMs: number, finishedMs: number | null): void {
    const current = this.#byProject.get(project) ?? new Map<number, Delivery>()
    this.#byProject.set(project, current)
    const seen = new Set<number>()
    const reports = this.#options.records.reportsOf(project, atMs)
    const isOlder = ({ created_at }: ReportRecord) =>
      reports.some((other) => other.created_at > created_at && other.status === 'completed')
    for (const { id, status } of reports) if (status === 'failed') this.#failed.add(id)
    for (const report of reports) {
      const before = current.get(report.report_number)
      seen.add(report.report_number)
      const isSame =
        before?.isCurrent === true && before.id === report.id && report.status === 'completed'
      if (isSame) continue
      if (before) this.#end(before)
      if (report.status === 'completed') {
        const own = { before, finishedMs, isOlder: finishedMs !== null && isOlder(report) }
        current.set(report.report_number, this.#start(report, own))
      }
    }
    for (const [number, delivery] of current) if (!seen.has(number)) this.#end(delivery)
  }

  #start(
    report: ReportRecord,
    {
      before,
      finishedMs,
      isOlder,
    }: { before: Delivery | undefined; finishedMs: number | null; isOlder: boolean },
  ): Delivery {
    const { id, project, report_number, date_to_create_texts: texts } = report
    const { date_to_send_to_client: due } = report
    const known = this.#byId.get(id)
    if (known) {
      known.isCurrent = true
      if (known.fetches === 0) this.#unfetched.add(known)
      return known
    }
    const delivery: Delivery = {
      project,
      number: report_number,
      id,
      finishedMs,
      dueMs: due === null ? Infinity : resolveMs(due, this.#options.startMs) + DAY_MS,
      isCurrent: true,
      isOlder,
      hasFailed: this.#failed.has(id),
      isReplacement: before !== undefined,
      textsMs: texts === null ? null : resolveMs(texts, this.#options.startMs),
      firstRun: null,
      hasEarlier: before !== undefined && (before.fetches > 0 || before.hasEarlier),
      chances: 0,
      calmChances: 0,
      firstChanceMs: null,
      firstCalmMs: null,
      fetchedMs: null,
      fetches: 0,
      digest: 0,
      isTwice: false,
      lastRun: null,
    }
    this.#byId.set(id, delivery)
    this.#unfetched.add(delivery)
    return delivery
  }

  #end(delivery: Delivery): void {
    delivery.isCurrent = false
    this.#unfetched.delete(delivery)
  }
}
