import { describe } from '../contract/text.ts'
import type { PolicyValue, ReadPolicy } from '../contract/policies.ts'
import { isProjectLevel } from '../contract/report-facts.ts'
import type { ReportRecord } from '../contract/report.ts'
import { calendarMonth, describeMonth, monthEdges } from './calendar-month.ts'
import type { Month } from './calendar-month.ts'
import { applyRules } from './selection-rules.ts'
import type { Preference, Requirement, Selection, SelectionRule } from './selection-rules.ts'

type Created = Pick<ReportRecord, 'id' | 'created_at'>

/** Specification 4.5: the report that is current or upcoming. */
export function selectLatest(
  reports: readonly ReportRecord[],
  nowMs: number,
  policy: ReadPolicy,
): Selection {
  // Computed on demand, so that the time zone is read only if the selection depends on it.
  const month = () => calendarMonth(nowMs, timeZoneOf(policy))
  const monthName = () => describeMonth(month(), timeZoneOf(policy))
  const rules = [completedThisMonth(month, monthName, policy), smallestOpenDate(monthName, policy)]
  return applyRules(reports, rules, '4.5(3)')
}

/** Specification 4.6: the completed report that was created last. */
export function selectLastGenerated(reports: readonly ReportRecord[]): Selection {
  return applyRules(reports, [LAST_COMPLETED], '4.6')
}

/**
 * Returns the times between `afterMs` and `beforeMs`, both exclusive, at which a new month may change the selection, in ascending
 * epoch milliseconds.
 */
export function selectionMoments(
  reports: readonly ReportRecord[],
  policy: ReadPolicy,
  between: { afterMs: number; beforeMs: number },
): number[] {
  const months = reports.flatMap(
    ({ date_to_create_texts }) => date_to_create_texts?.slice(0, 7) ?? [],
  )
  return monthEdges(new Set(months), timeZoneOf(policy), between)
}

function timeZoneOf(policy: ReadPolicy): string {
  return policy('month-time-zone')
}

/** Specification 4.5(1): completed, and dated in the current calendar month. The latest date wins. */
function completedThisMonth(
  month: () => Month,
  monthName: () => string,
  policy: ReadPolicy,
): SelectionRule {
  return {
    section: '4.5(1)',
    requirements: [
      PROJECT_LEVEL,
      REGULAR,
      {
        isMet: isCompleted,
        whyNot: ({ status }) =>
          `It is not completed (${status}), and rule 4.5(1) found one that is.`,
      },
      {
        isMet: ({ date_to_create_texts: date }) => date !== null && date.slice(0, 7) === month(),
        whyNot: ({ date_to_create_texts: date }) =>
          date === null
            ? `It has no date, and so none in ${monthName()}.`
            : `Its date ${date} is not in ${monthName()}.`,
      },
    ],
    preferences: [LATEST_DATE, highestNumber(policy), HIGHEST_ID_OF_DATE],
    whySelected: ({ date_to_create_texts }) =>
      `It is completed, and its date ${date_to_create_texts} is the latest in ${monthName()}.`,
  }
}

/** Specification 4.5(2): not completed, whatever the date. The smallest date wins. */
function smallestOpenDate(monthName: () => string, policy: ReadPolicy): SelectionRule {
  const undated = () => policy('undated-reports')
  return {
    section: '4.5(2)',
    requirements: [
      PROJECT_LEVEL,
      REGULAR,
      {
        // Rule 4.5(1) explains completed reports, so `whyNot` is shown only for undated reports that are not completed.
        isMet: (report) =>
          !isCompleted(report) &&
          (report.date_to_create_texts !== null || undated() !== 'excluded'),
        whyNot: ({ status }) =>
          `It is not completed (${status}), but has no date (undated-reports: excluded, G-075).`,
      },
    ],
    preferences: [smallestDate(undated), LOWEST_ID_OF_DATE],
    whySelected: ({ date_to_create_texts: date }) => {
      const best =
        date === null
          ? `it comes first of those not completed, without a date (undated-reports: ${undated()}, G-075)`
          : `its date ${date} is the earliest of those not completed`
      return `No completed report is dated in ${monthName()}, and ${best}.`
    },
  }
}

const PROJECT_LEVEL: Requirement = {
  isMet: isProjectLevel,
  whyNot: ({ level }) => `Its level is ${describe(level)}; only project-level reports count.`,
}

const REGULAR: Requirement = {
  isMet: ({ action_type }) => action_type === 'regular',
  whyNot: ({ action_type }) =>
    `Its action type is ${describe(action_type)}; only regular reports count.`,
}

const LATEST_DATE: Preference = {
  compare: (one, other) =>
    compare(other.date_to_create_texts ?? '', one.date_to_create_texts ?? ''),
  whyNot: (_, { report_number, date_to_create_texts }) =>
    `Report ${report_number} has a later date, ${date_to_create_texts}.`,
}

/** Prefers the report with the higher number if two completed reports have the same date and policy demands it (G-073). */
function highestNumber(policy: ReadPolicy): Preference {
  return {
    compare: (one, other) =>
      policy('completed-tie') === 'number' ? other.report_number - one.report_number : 0,
    whyNot: (_, { report_number }) =>
      `Report ${report_number} has the same date and a higher number (completed-tie: number, G-073).`,
  }
}

const HIGHEST_ID_OF_DATE: Preference = {
  compare: (one, other) => other.id - one.id,
  whyNot: (_, { report_number, id }) =>
    `Report ${report_number} has the same date and a higher id, ${id} (G-073).`,
}

const LOWEST_ID_OF_DATE: Preference = {
  compare: (one, other) => one.id - other.id,
  whyNot: (_, { report_number, id, date_to_create_texts: date }) =>
    `Report ${report_number} has ${date === null ? 'no date either' : 'the same date'} and a lower id, ${id} (G-074).`,
}

/** Prefers the report with the smaller date. Policy decides if only one of two reports has a date (G-075). */
function smallestDate(undated: () => PolicyValue<'undated-reports'>): Preference {
  return {
    compare: ({ date_to_create_texts: one }, { date_to_create_texts: other }) => {
      if (one !== null && other !== null) return compare(one, other)
      if (one === other) return 0
      return (one === null) === (undated() === 'first') ? -1 : 1
    },
    whyNot: ({ date_to_create_texts: date }, { report_number, date_to_create_texts: smallest }) => {
      const because = `(undated-reports: ${undated()}, G-075)`
      if (date === null) return `It has no date and comes last ${because}.`
      if (smallest === null)
        return `Report ${report_number} has no date and comes first ${because}.`
      return `Report ${report_number} has an earlier date, ${smallest}.`
    },
  }
}

const LAST_CREATED: Preference = {
  compare: (one, other) => compare(other.created_at, one.created_at),
  whyNot: (_, { report_number, created_at }) =>
    `Report ${report_number} was created later, at ${created_at}.`,
}

const HIGHEST_ID_OF_CREATION: Preference = {
  compare: (one, other) => other.id - one.id,
  whyNot: (_, { report_number, id }) =>
    `Report ${report_number} was created at the same time and has a higher id, ${id} (G-076).`,
}

/** Specification 4.6: completed, project-level, of any action type (G-077). The last created wins. */
const LAST_COMPLETED: SelectionRule = {
  section: '4.6',
  requirements: [
    PROJECT_LEVEL,
    { isMet: isCompleted, whyNot: ({ status }) => `It is not completed (${status}).` },
  ],
  preferences: [LAST_CREATED, HIGHEST_ID_OF_CREATION],
  whySelected: ({ created_at, action_type }) => {
    const ofAnyType = action_type === 'regular' ? '' : ', of whatever action type (G-077)'
    return `It is the completed report that was created last, at ${created_at}${ofAnyType}.`
  },
}

/** Comparator that puts the newest first: by `created_at`, then by id, both descending (G-076, G-079). */
export function byCreationDescending(one: Created, other: Created): number {
  return compare(other.created_at, one.created_at) || other.id - one.id
}

function isCompleted({ status }: ReportRecord): boolean {
  return status === 'completed'
}

/** Compares strings by code units, whatever the locale. Dates in the API's format compare chronologically. */
export function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
