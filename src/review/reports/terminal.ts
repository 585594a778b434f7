import { withoutControls } from '../../contract/text.ts'
import type { JudgedCheck, JudgedReview } from '../judge.ts'
import { TONES } from './record.ts'
import type { DemandList } from './record.ts'
import { CALENDAR_LEGEND, calendarLines, describeLacks, summarizeRehearsal } from './rehearsal.ts'
import type { RehearsedReview } from './rehearsal.ts'
import type { ReportInput } from './report-input.ts'
import {
  daysOf,
  exceptionsOf,
  insteadsOf,
  labelOf,
  findingMessage,
  moreFindings,
  outlineOf,
  placeOf,
  reproductionOf,
  requestLines,
  firstLines,
  SHOWN,
  summarizeLedger,
} from './wording.ts'

/** Functions that colour a text, or return it as it is for a report without colours. */
export interface TerminalColors {
  bold: (text: string) => string
  dim: (text: string) => string
  green: (text: string) => string
  red: (text: string) => string
  yellow: (text: string) => string
}

/** A review as a terminal shows it: what failed first, then the counts, then the reports that were not simply delivered. */
export function toTerminal(input: ReportInput, colors: TerminalColors): string {
  const outline = outlineOf(input)
  const { review, rehearsal, budget, summary, hints, failed, demands, run, reproductions } = outline
  const { bold, green, red, yellow } = colors
  const shown = { passed: green, failed: red, 'nothing-read': red, 'nothing-asked': yellow }
  const color = shown[review.verdict]
  const lines = [
    ...(rehearsal ? describeRehearsal(rehearsal, { color, colors }) : []),
    ...failed.flatMap((check) => [...describeCheck(check, review, colors), '']),
    `${color('review')} ${bold(summary)}`,
    ...hints,
    ...describeLedger(review, colors),
    ...(budget === undefined ? [] : [`requests ${bold(budget)}`]),
    ...demands.flatMap((list) => describeDemands(list, colors)),
    `run ${colors.dim(run.map(([name, text]) => `${name}: ${text}`).join('; '))}`,
    ...reproductions.map((words) => words.join(' ')),
  ]
  return `${lines.join('\n')}\n`
}

interface Headline {
  color: (text: string) => string
  colors: TerminalColors
}

function describeRehearsal(
  rehearsal: RehearsedReview,
  { color, colors: { bold, dim } }: Headline,
): string[] {
  return [
    `${color('rehearsal')} ${bold(`${summarizeRehearsal(rehearsal)}.`)}`,
    '',
    ...calendarLines(rehearsal),
    ...CALENDAR_LEGEND.map(dim),
    ...describeLacks(rehearsal),
    '',
  ]
}

function describeCheck(
  check: JudgedCheck,
  review: JudgedReview,
  { bold, dim, red, yellow }: TerminalColors,
): string[] {
  const color = check.severity === 'error' ? red : yellow
  const findings = check.findings.map((finding) => [
    `  ${findingMessage(finding, review)}`,
    ...firstLines(requestLines(finding), SHOWN.requests).map((line) => dim(`    ${line}`)),
    ...reproductionOf(finding, review).map((line) => `    ${line}`),
  ])
  return [
    `${color(labelOf(check))} ${bold(withoutControls(check.id))} ${dim(`(specification ${withoutControls(check.section)})`)}`,
    ...findings.slice(0, SHOWN.findings).flat(),
    ...moreFindings(check, review).map((line) => `  ${line}`),
    ...daysOf(check, review).map((line) => `  ${line}`),
    ...insteadsOf(check).map((instead) => `  Instead: ${withoutControls(instead)}`),
  ]
}

function describeDemands(
  { name, summary, list }: DemandList,
  { bold, green, red, yellow }: TerminalColors,
): string[] {
  const colors = { passed: green, warning: yellow, failed: red }
  const lines = list.map(({ what, label, text }) => {
    return `  ${colors[TONES[label]](label)} ${withoutControls(`${what}: ${text}`)}`
  })
  return [`${name} ${bold(`${summary}.`)}`, ...lines]
}

/** A line for each state and project, without the times, which other formats have. */
function describeLedger(review: JudgedReview, { bold, yellow }: TerminalColors): string[] {
  if (review.ledger.length === 0) return []
  const numbers = new Map<string, number[]>()
  for (const entry of exceptionsOf(review)) {
    const { state, report_number } = entry
    const group = `${yellow(state)} ${placeOf(entry, review)}`
    numbers.set(group, [...(numbers.get(group) ?? []), report_number])
  }
  const lines = Array.from(numbers, ([group, of]) => {
    return `${group}, ${of.length === 1 ? 'report' : 'reports'} ${of.join(', ')}`
  })
  return [
    `reports ${bold(`${summarizeLedger(review)}.`)}`,
    ...firstLines(lines, SHOWN.deliveries).map((line) => `  ${line}`),
  ]
}
