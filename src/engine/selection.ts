import type { ReadPolicy } from '../contract/policies.ts'
import { isProjectLevel } from '../contract/report.ts'
import type { ReportRecord } from '../contract/report.ts'

/** The calendar month that a rule looks at, `YYYY-MM`. */
type Month = string

/** One rule of the selection: which reports qualify, and which of them comes first. */
interface SelectionRule {
  /** The section that states it. */
  section: string
  qualifies: (report: ReportRecord, month: Month) => boolean
  order: (first: ReportRecord, second: ReportRecord) => number
}

type Created = Pick<ReportRecord, 'id' | 'created_at'>

/** Specification 4.5: the report that is current or upcoming; undefined where none is. */
export function selectLatest(
  reports: readonly ReportRecord[],
  nowMs: number,
  policy: ReadPolicy,
): ReportRecord | undefined {
  const candidates = reports.filter(
    (report) => isProjectLevel(report) && report.action_type === 'regular',
  )
  const month = calendarMonth(nowMs, policy('month-time-zone'))
  for (const rule of [completedThisMonth(policy), smallestOpenDate(policy)]) {
    const selected = first(
      candidates.filter((report) => rule.qualifies(report, month)),
      rule.order,
    )
    if (selected) return selected
  }
  return undefined
}

/** Specification 4.6: completed, project-level, of any action type; the last created. */
export function selectLastGenerated(reports: readonly ReportRecord[]): ReportRecord | undefined {
  const candidates = reports.filter(
    (report) => isProjectLevel(report) && report.status === 'completed',
  )
  return first(candidates, byCreationDescending)
}

/** Newest first: by creation, then by id (G-076, G-079). */
export function byCreationDescending(one: Created, other: Created): number {
  return compare(other.created_at, one.created_at) || other.id - one.id
}

/** Specification 4.5(1): completed and dated in the current calendar month. The latest date wins. */
function completedThisMonth(policy: ReadPolicy): SelectionRule {
  return {
    section: '4.5(1)',
    qualifies: ({ status, date_to_create_texts }, month) =>
      status === 'completed' && date_to_create_texts?.slice(0, 7) === month,
    order: (one, other) =>
      compare(dateOf(other), dateOf(one)) ||
      (policy('completed-tie') === 'number' ? other.report_number - one.report_number : 0) ||
      other.id - one.id,
  }
}

const SORTED_FIRST = ''
const SORTED_LAST = '~'

/** Specification 4.5(2): not completed, whenever it is due. The smallest date wins. */
function smallestOpenDate(policy: ReadPolicy): SelectionRule {
  const undated = policy('undated-reports')
  const undatedKey = undated === 'last' ? SORTED_LAST : SORTED_FIRST
  return {
    section: '4.5(2)',
    qualifies: ({ status, date_to_create_texts }) =>
      status !== 'completed' && (date_to_create_texts !== null || undated !== 'excluded'),
    order: (one, other) =>
      compare(dateOf(one, undatedKey), dateOf(other, undatedKey)) || one.id - other.id,
  }
}

function dateOf({ date_to_create_texts }: ReportRecord, undatedKey = SORTED_FIRST): string {
  return date_to_create_texts ?? undatedKey
}

/** By code units, the same in every locale; the wire's dates compare as the times they name. */
export function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

function first(
  reports: readonly ReportRecord[],
  order: SelectionRule['order'],
): ReportRecord | undefined {
  return reports.reduce<ReportRecord | undefined>(
    (best, report) => (best === undefined || order(report, best) < 0 ? report : best),
    undefined,
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The month of a point in time, `YYYY-MM`, never by the machine's own zone (trap T27). */
function calendarMonth(nowMs: number, timeZone: string): Month {
  if (timeZone === 'UTC') return new Date(nowMs).toISOString().slice(0, 7)
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit' })
  formats.set(timeZone, format)
  const parts = format.formatToParts(nowMs)
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}`
}
