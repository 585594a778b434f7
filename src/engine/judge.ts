import type { ReportRecord } from '../contract/report.ts'

/** Something that a rule asks of a report. */
export interface Requirement {
  isMet: (report: ReportRecord) => boolean
  /** What is said of a report that does not meet it. */
  objection: (report: ReportRecord) => string
}

/** Something by which a rule prefers one report to another. */
export interface Preference {
  compare: (one: ReportRecord, other: ReportRecord) => number
  /** What is said of a report to which another one was preferred. */
  objection: (report: ReportRecord, preferred: ReportRecord) => string
}

/** One rule of the selection: which reports qualify, and which of them comes first. */
export interface SelectionRule {
  /** The section that states it. */
  section: string
  /** What it asks, in turn; the more of it a report meets, the more the next one says about it. */
  requirements: readonly Requirement[]
  /** What it goes by among those that qualify: the first that tells two reports apart decides. */
  preferences: readonly Preference[]
  /** What is said of the report that it selects. */
  merit: (report: ReportRecord) => string
}

/** A report that could have been selected, and what became of that. */
interface Candidate {
  report: ReportRecord
  isSelected: boolean
  /** Why it was selected, or why not: a sentence. */
  reason: string
}

/** What was selected of the reports of a project, and by which rule. */
export interface Selection {
  selected: ReportRecord | undefined
  /** The section that decided. */
  rule: string
  /** All reports, as the rule ranks them, those that do not qualify last; worked out when asked for. */
  candidates: () => Candidate[]
}

/** Applies rules in turn, until one selects; `otherwise` is the section that tells what it is if none does. */
export function judge(
  reports: readonly ReportRecord[],
  rules: readonly SelectionRule[],
  otherwise: string,
): Selection {
  const tried: SelectionRule[] = []
  for (const rule of rules) {
    tried.push(rule)
    const selected = first(reports, rule)
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

/** The best of the reports that qualify. */
function first(reports: readonly ReportRecord[], rule: SelectionRule): ReportRecord | undefined {
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

/** A report with what the rule says of it in which it got furthest, the later one where two are even. */
function toCandidate(
  report: ReportRecord,
  tried: readonly SelectionRule[],
  selected: ReportRecord | undefined,
): Candidate {
  const { reason } = tried
    .map((rule) => assess(report, rule, selected))
    .reduce((furthest, next) => (next.met >= furthest.met ? next : furthest))
  return { report, isSelected: report === selected, reason }
}

/** How many requirements of a rule a report meets, and what the rule says of it. */
function assess(
  report: ReportRecord,
  { requirements, preferences, merit }: SelectionRule,
  selected: ReportRecord | undefined,
): { met: number; reason: string } {
  const met = requirements.findIndex(({ isMet }) => !isMet(report))
  const unmet = requirements[met]
  if (unmet) return { met, reason: unmet.objection(report) }
  const decisive =
    selected && preferences.find((preference) => preference.compare(report, selected) !== 0)
  const reason = decisive ? decisive.objection(report, selected) : merit(report)
  return { met: requirements.length, reason }
}
