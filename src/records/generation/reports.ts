import { REPORTS_PER_PROJECT } from '../generated-ids.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import { DAY_MS, MINUTE_MS } from '../../contract/time.ts'
import { H3_TEXT_BLOCKS, reportLinks } from '../../contract/report-facts.ts'
import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { ReportRecord } from '../../contract/report.ts'
import { pickScheme, toArticle } from './project-plan.ts'
import type { ProjectPlan, GenerationContext } from './project-plan.ts'
import type { Company } from './companies.ts'
import { mishapsOf } from './showcase.ts'
import { withLazyContent } from '../report-texts.ts'
import type { FixtureBusiness } from './text-writer.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import {
  createTimeline,
  DAYS_TO_CLIENT,
  NO_MISHAPS,
  regeneratedAt,
  statusAt,
} from '../report-timeline.ts'
import type { ReportTimeline } from '../report-timeline.ts'

/** Difference between the ids of a report's second row and its first, whose id ends with the report number. */
const SECOND_ROW_OFFSET = 50

/** Number of reports that are created together with their project. */
const FIRST_REPORTS = 3
/** Number of months from a report's creation to its due date, for reports after the {@link FIRST_REPORTS}. */
const MONTHS_AHEAD = 2

/** Probability that an active keyword has no content in a completed report, even if the project has few keywords (trap T10). */
const WITHOUT_CONTENT_SHARE = 0.08

/** A row of a report over its whole lifetime. */
interface Row {
  id: number
  number: number
  dueMs: number
  timeline: ReportTimeline
  /** Time at which another row replaces this one, in epoch milliseconds; Infinity for never. */
  replacedMs: number
}

/** The rows of a project's reports. They are planned on demand, because most reads need no future rows. */
export class ReportRows {
  readonly #plan: ProjectPlan
  readonly #context: GenerationContext
  /** The first row of each report that is planned so far, by ascending id. */
  readonly #rows: Row[] = []
  /** The second rows of regenerated reports, by ascending id. Their ids are above those of all first rows. */
  readonly #replacements: Row[] = []

  constructor(plan: ProjectPlan, context: GenerationContext) {
    this.#plan = plan
    this.#context = context
  }

  /** Returns the rows that exist at a time, by ascending id. */
  at(ms: number): Row[] {
    this.#planUntil(ms)
    const exists = ({ timeline, replacedMs }: Row) => timeline.createdMs <= ms && ms < replacedMs
    return [...this.#rows.filter(exists), ...this.#replacements.filter(exists)]
  }

  /** Returns all rows, future ones included, by ascending id. */
  all(): Row[] {
    this.#planUntil(Infinity)
    return [...this.#rows, ...this.#replacements]
  }

  #planUntil(ms: number): void {
    const { dueReports } = this.#plan
    const { dayFromLoad } = this.#context.calendar
    while (this.#rows.length < LAST_REPORT_NUMBER) {
      const number = this.#rows.length + 1
      if (number > FIRST_REPORTS && dayFromLoad(number - dueReports - MONTHS_AHEAD, 1) > ms) return
      const [row, replacement] = planReport(number, this.#plan, this.#context)
      this.#rows.push(row)
      if (replacement) this.#replacements.push(replacement)
    }
  }
}

function planReport(
  number: number,
  plan: ProjectPlan,
  context: GenerationContext,
): [row: Row, replacement?: Row] {
  const { dueDay, situation } = plan
  const { loadedMs, options, calendar } = context
  const random = createRandom(context.seed, 'report', plan.id, number)
  const months = number - plan.dueReports
  const dueMs = calendar.dayFromLoad(months, dueDay)
  const projectCreatedMs = plan.createdMs + number * MINUTE_MS
  const opened =
    number <= FIRST_REPORTS
      ? projectCreatedMs
      : Math.max(projectCreatedMs, openedMs(months - MONTHS_AHEAD, random, context))
  const sendMs = dueMs + DAYS_TO_CLIENT * DAY_MS
  const mishaps = mishapsOf(months, {
    isShowcase: options.showcase,
    isNamed: plan.fixturePhrases !== undefined,
  })
  const planned = createTimeline({ createdMs: opened, dueMs, sendMs }, mishaps, random)
  const isLastDue = dueMs <= loadedMs && calendar.dayFromLoad(months + 1, dueDay) > loadedMs
  const timeline = situation?.timeline(planned, { isLastDue, loadedMs }) ?? planned
  const replacedMs = situation ? Infinity : regeneratedAt(timeline, mishaps, random)
  const id = plan.id * REPORTS_PER_PROJECT + number
  const row: Row = { id, number, dueMs, timeline, replacedMs }
  if (replacedMs === Infinity) return [row]

  const again = createTimeline({ createdMs: replacedMs, dueMs, sendMs }, NO_MISHAPS, random)
  return [row, { ...row, id: id + SECOND_ROW_OFFSET, timeline: again, replacedMs: Infinity }]
}

/**
 * Returns the creation time of a report after the {@link FIRST_REPORTS}, in epoch milliseconds: in working hours on a random day of
 * the month that is `months` after the month of the load.
 */
function openedMs(months: number, random: Random, { calendar }: GenerationContext): number {
  const day = calendar.dayFromLoad(months, random.integer(1, 28))
  return day + random.integer(8 * 60, 17 * 60) * MINUTE_MS
}

/** The parts of a project from which the records of its reports are generated. */
export interface ReportedProject {
  plan: ProjectPlan
  record: () => ProjectRecord
  users: readonly number[]
  /** Keywords without positions, generated when they are first read. */
  keywords: () => readonly KeywordRecord[]
}

const NO_LINKS = { pdf_link: null, web_link: null }

export function toReport(
  { id, number, dueMs, timeline }: Row,
  ms: number,
  project: ReportedProject,
  context: GenerationContext,
): ReportRecord {
  const { plan, users } = project
  const { toDate, toDateTime } = context.calendar
  const status = statusAt(timeline, ms)
  const isCompleted = status === 'completed'
  const isApproved = ms >= timeline.approvedMs
  const random = createRandom(context.seed, 'people', id)
  const user = () => (users.length === 0 ? null : random.pick(users))
  const [approver, manager] = [user(), user()]
  const report: ReportRecord = {
    id,
    project: plan.id,
    report_number: number,
    status,
    created_at: toDateTime(timeline.createdMs),
    report_name: plan.words.report_names[0] ?? null,
    date_to_create_texts: toDate(dueMs),
    date_to_send_to_client: toDate(dueMs + DAYS_TO_CLIENT * DAY_MS),
    sent: isCompleted && ms >= timeline.sentMs,
    approved_status: isApproved ? 'approved' : null,
    approved_by: isApproved ? approver : null,
    managed_status: isApproved ? 'completed' : null,
    managed_by: manager,
    ...(isCompleted ? reportLinks(id) : NO_LINKS),
    level: 'project',
    action_type: 'regular',
    content_scheme: isCompleted ? H3_TEXT_BLOCKS : null,
  }
  return isCompleted ? withContent(report, timeline, project, context) : report
}

/** Returns the city and the trade of a company that a fixture names; undefined for a generated company. */
export function toFixtureBusiness({
  fixturePhrases,
  city,
  trade,
}: Company): FixtureBusiness | undefined {
  return fixturePhrases && { city, trade: trade?.key }
}

/**
 * Adds content for most of the active keywords that the project had when the report was completed, up to the maximum number of
 * texts in a report.
 */
function withContent(
  report: ReportRecord,
  { completedMs }: ReportTimeline,
  { plan, record, keywords }: ReportedProject,
  context: GenerationContext,
): ReportRecord {
  const { seed, options, calendar } = context
  const texts = context.texts[plan.market]!
  const scheme = options.variety ? pickScheme(createRandom(seed, 'scheme', plan.id)) : undefined
  const lastDay = calendar.toDate(completedMs)
  if (scheme) {
    report.content_scheme = scheme.name
    report.content_scheme_fields = scheme.fields
  }
  return withLazyContent(report, () => {
    const written: NonNullable<ReportRecord['content']> = {}
    const possible = keywords().filter(({ id, active, create_date }) => {
      if (!active || create_date > lastDay) return false
      return !createRandom(seed, 'coverage', report.id, id).chance(WITHOUT_CONTENT_SHARE)
    })
    const of = {
      report,
      project: record(),
      keywords: possible,
      existingTexts: 0,
      business: toFixtureBusiness(plan),
    }
    for (const [keyword, write] of texts.write(of)) {
      Object.defineProperty(written, keyword.id, {
        enumerable: true,
        get: () => (scheme ? toArticle(keyword.keyword, write()) : write()),
      })
    }
    return written
  })
}
