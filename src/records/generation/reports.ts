import { REPORTS_PER_PROJECT } from './generate.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import { DAY_MS, MINUTE_MS, toDateTime } from '../../contract/moments.ts'
import { H3_TEXT_BLOCKS } from '../../contract/report-facts.ts'
import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import type { H3TextBlock, ReportRecord } from '../../contract/report.ts'
import { reportLinks } from '../../contract/report-links.ts'
import { generateContent } from './content.ts'
import { createdMs, dayFromLoad } from './plan.ts'
import type { ProjectPlan, GenerationContext } from './plan.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { createTimeline, NO_MISHAPS, regeneratedAt, statusAt, USUAL_MISHAPS } from '../timeline.ts'
import type { Timeline } from '../timeline.ts'

/** The id of a report ends with its number; the id of its second row with the number plus this. */
const SECOND_ROW = 50

/** The reports that exist when a project begins; others are created two months before they are due. */
const FIRST_REPORTS = 3
const MONTHS_AHEAD = 2
const DAYS_TO_CLIENT = 7

/** The share of active keywords without content in a completed report (trap T10). */
const WITHOUT_CONTENT_SHARE = 0.08

/** A row of a report over its whole lifetime. */
interface Row {
  id: number
  number: number
  dueMs: number
  timeline: Timeline
  /** When another row replaces it; Infinity where none does. */
  replacedMs: number
}

/** All rows that a project's reports will ever have, by ascending id. */
export function planReports(plan: ProjectPlan, context: GenerationContext): Row[] {
  const numbers = Array.from({ length: LAST_REPORT_NUMBER }, (_, index) => index + 1)
  return numbers
    .flatMap((number) => planReport(number, plan, context))
    .toSorted((one, other) => one.id - other.id)
}

function planReport(number: number, plan: ProjectPlan, context: GenerationContext): Row[] {
  const random = createRandom(context.seed, 'report', plan.id, number)
  const months = number - plan.dueReports
  const dueMs = dayFromLoad(context, months, plan.dueDay)
  const projectCreatedMs = createdMs(plan, context) + number * MINUTE_MS
  const opened =
    number <= FIRST_REPORTS
      ? projectCreatedMs
      : Math.max(projectCreatedMs, openedMs(months - MONTHS_AHEAD, random, context))
  const sendMs = dueMs + DAYS_TO_CLIENT * DAY_MS
  const timeline = createTimeline({ createdMs: opened, dueMs, sendMs }, USUAL_MISHAPS, random)
  const replacedMs = regeneratedAt(timeline, USUAL_MISHAPS, random)
  const id = plan.id * REPORTS_PER_PROJECT + number
  const row: Row = { id, number, dueMs, timeline, replacedMs }
  if (replacedMs === Infinity) return [row]

  const again = createTimeline({ createdMs: replacedMs, dueMs, sendMs }, NO_MISHAPS, random)
  return [row, { ...row, id: id + SECOND_ROW, timeline: again, replacedMs: Infinity }]
}

/** When a report that is not one of the first is created: in working hours of some day of a month. */
function openedMs(months: number, random: Random, context: GenerationContext): number {
  const day = dayFromLoad(context, months, random.integer(1, 28))
  return day + random.integer(8 * 60, 17 * 60) * MINUTE_MS
}

/** The rows that exist at a time, as report records. */
export function reportsAt(
  ms: number,
  rows: readonly Row[],
  project: { plan: ProjectPlan; users: readonly number[]; keywords: readonly KeywordRecord[] },
  context: GenerationContext,
): ReportRecord[] {
  return rows
    .filter(({ timeline, replacedMs }) => timeline.createdMs <= ms && ms < replacedMs)
    .map((row) => toReport(row, ms, project, context))
}

const NO_LINKS = { pdf_link: null, web_link: null }

function toReport(
  { id, number, dueMs, timeline }: Row,
  ms: number,
  { plan, users, keywords }: Parameters<typeof reportsAt>[2],
  context: GenerationContext,
): ReportRecord {
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
    report_name: context.words.copy.reportNames[0] ?? null,
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
  return isCompleted ? withContent(report, timeline, { plan, keywords }, context) : report
}

/** Content is generated when it is read, because most of it never is. */
function withContent(
  report: ReportRecord,
  { completedMs }: Timeline,
  { plan, keywords }: { plan: ProjectPlan; keywords: readonly KeywordRecord[] },
  context: GenerationContext,
): ReportRecord {
  const lastDay = toDate(completedMs)
  let content: Record<string, H3TextBlock[]> | undefined
  const write = () => {
    const written: Record<string, H3TextBlock[]> = {}
    for (const keyword of keywords) {
      const random = createRandom(context.seed, 'coverage', report.id, keyword.id)
      const isCovered = keyword.active && keyword.create_date <= lastDay
      if (!isCovered || random.chance(WITHOUT_CONTENT_SHARE)) continue
      Object.defineProperty(written, keyword.id, {
        enumerable: true,
        get: () =>
          generateContent(report.id, keyword, plan, {
            seed: context.seed,
            copy: context.words.copy,
          }),
      })
    }
    return written
  }
  Object.defineProperty(report, WRITTEN, { value: () => (content ??= write()) })
  return Object.defineProperty(report, 'content', CONTENT)
}

/** The function that generates the content of a report when it is first read. */
const WRITTEN = Symbol('written')

/**
 * One accessor for all reports: an accessor per report would give each one its own hidden class, which V8 keeps
 * until its next full collection.
 */
const CONTENT: PropertyDescriptor & ThisType<{ [WRITTEN]: () => ReportRecord['content'] }> = {
  enumerable: true,
  get() {
    return this[WRITTEN]()
  },
}

function toDate(ms: number): string {
  return toDateTime(ms).slice(0, 10)
}
