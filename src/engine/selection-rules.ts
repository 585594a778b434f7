import type { ReportRecord } from '../contract/report.ts'

/** A condition that a rule requires of a report. */
export interface Requirement {
  isMet: (report: ReportRecord) => boolean
  /** Returns the reason for not selecting a report that does not meet the requirement. */
  whyNot: (report: ReportRecord) => string
}

/** A criterion by which a rule prefers one report to another. */
export interface Preference {
  compare: (one: ReportRecord, other: ReportRecord) => number
  /** Returns the reason for preferring `preferred` to `report`. */
  whyNot: (report: ReportRecord, preferred: ReportRecord) => string
}

/** One rule of the selection: a filter and an order for reports. */
export interface SelectionRule {
  section: string
  /** Requirements in the order in which they are checked. The first unmet one explains why a report is not selected. */
  requirements: readonly Requirement[]
  /** The order of reports that meet the requirements: the first preference that distinguishes two reports decides. */
  preferences: readonly Preference[]
  whySelected: (report: ReportRecord) => string
}

interface Candidate {
  report: ReportRecord
  isSelected: boolean
  section: string
  reason: string
}

/** The report that the rules select from a project's reports, undefined if none, and the rule that decided. */
export interface Selection {
  selected: ReportRecord | undefined
  /** Section of the specification that decided the selection. */
  rule: string
  /**
   * Returns all reports in the order of the deciding rule, with those that do not qualify last. Keeps the original order if no
   * report is selected.
   */
  candidates: () => Candidate[]
}

/** Applies rules in order until one selects a report. If none does, the section `otherwise` has decided. */
export function applyRules(
  reports: readonly ReportRecord[],
  rules: readonly SelectionRule[],
  otherwise: string,
): Selection {
  const tried: SelectionRule[] = []
  for (const rule of rules) {
    tried.push(rule)
    const selected = bestOf(reports, rule)
    if (!selected) continue
    return {
      selected,
      rule: rule.section,
      candidates: () => rank(reports, rule).map((report) => toCandidate(report, tried, selected)),
    }
  }
  return {
    selected: undefined,
    rule: otherwise,
    candidates: () => reports.map((report) => toCandidate(report, tried, undefined)),
  }
}

function bestOf(reports: readonly ReportRecord[], rule: SelectionRule): ReportRecord | undefined {
  let best: ReportRecord | undefined
  for (const report of reports) {
    if (!qualifies(report, rule)) continue
    if (best === undefined || order(report, best, rule) < 0) best = report
  }
  return best
}

function rank(reports: readonly ReportRecord[], rule: SelectionRule): ReportRecord[] {
  const qualified = reports.filter((report) => qualifies(report, rule))
  const others = reports.filter((report) => !qualifies(report, rule))
  return [...qualified.toSorted((one, other) => order(one, other, rule)), ...others]
}

function qualifies(report: ReportRecord, { requirements }: SelectionRule): boolean {
  for (const { isMet } of requirements) {
    if (!isMet(report)) return false
  }
  return true
}

function order(one: ReportRecord, other: ReportRecord, { preferences }: SelectionRule): number {
  for (const preference of preferences) {
    const result = preference.compare(one, other)
    if (result !== 0) return result
  }
  return 0
}

/**
 * Explains a report by the rule that came closest to qualifying it: the one with the most requirements met before the first
 * unmet one. If several are equal, the last of them explains it.
 */
function toCandidate(
  report: ReportRecord,
  tried: readonly SelectionRule[],
  selected: ReportRecord | undefined,
): Candidate {
  const { section, reason } = tried
    .map((rule) => assess(report, rule, selected))
    .reduce((furthest, next) => (next.met >= furthest.met ? next : furthest))
  return { report, isSelected: report === selected, section, reason }
}

/** Returns the number of requirements that a report meets before the first unmet one, and the reason for selecting it or not. */
function assess(
  report: ReportRecord,
  { section, requirements, preferences, whySelected }: SelectionRule,
  selected: ReportRecord | undefined,
): { met: number; section: string; reason: string } {
  const met = requirements.findIndex(({ isMet }) => !isMet(report))
  const unmet = requirements[met]
  if (unmet) return { met, section, reason: unmet.whyNot(report) }
  const decisive =
    selected && preferences.find((preference) => preference.compare(report, selected) !== 0)
  const reason = decisive ? decisive.whyNot(report, selected) : whySelected(report)
  return { met: requirements.length, section, reason }
}
