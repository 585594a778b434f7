import { withoutControls } from '../../contract/text.ts'
import type { JudgedReview } from '../judge.ts'
import type { LedgerEntry } from '../review.ts'
import { HEADINGS, TONES } from './record.ts'
import type { DemandList } from './record.ts'
import {
  CALENDAR_LEGEND,
  calendarLines,
  describeExpected,
  describeNotRehearsed,
  summarizeRehearsal,
} from './rehearsal.ts'
import type { RehearsedReview } from './rehearsal.ts'
import type { ReportInput } from './report-input.ts'
import {
  daysOf,
  exceptionsOf,
  insteadsOf,
  findingMessage,
  moreFindings,
  outlineOf,
  placeOf,
  reproductionOf,
  requestLines,
  firstLines,
  SHOWN,
  STATE_LABELS,
  summarizeLedger,
} from './wording.ts'
import type { ShownCause } from './wording.ts'

/** Functions that colour text, or return it unchanged for a report without colours. */
export interface TerminalColors {
  bold: (text: string) => string
  dim: (text: string) => string
  green: (text: string) => string
  red: (text: string) => string
  yellow: (text: string) => string
}

/** Writes a review for a terminal: the calendar of a rehearsal, then mistakes, counts, and reports with problems. */
export function toTerminal(input: ReportInput, colors: TerminalColors): string {
  const outline = outlineOf(input)
  const { review, rehearsal, budget, summary, hints, failed, demands, run, reproductions } = outline
  const { bold, green, red, yellow } = colors
  const shown = { passed: green, failed: red, 'nothing-read': red, 'nothing-asked': yellow }
  const color = shown[review.verdict]
  const lines = [
    ...(rehearsal ? describeRehearsal(rehearsal, { color, colors }) : []),
    ...failed.flatMap((cause) => [...describeCause(cause, review, colors), '']),
    `${color('review')} ${bold(summary)}`,
    ...listOpen(review).map(colors.dim),
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
    describeExpected(rehearsal),
    '',
    ...calendarLines(rehearsal),
    ...CALENDAR_LEGEND.map(dim),
    ...describeNotRehearsed(rehearsal),
    '',
  ]
}

function describeCause(
  cause: ShownCause,
  review: JudgedReview,
  { bold, dim, red, yellow }: TerminalColors,
): string[] {
  const { id, section, label, consequencePhrase } = cause
  const color = label === 'failed' ? red : yellow
  const shown = cause.findings
    .slice(0, SHOWN.findings)
    .flatMap((finding) => [
      `  ${findingMessage(finding, review)}`,
      ...firstLines(requestLines(finding), SHOWN.requests).map((line) => dim(`    ${line}`)),
      ...reproductionOf(finding, review).map((line) => `    ${line}`),
    ])
  return [
    `${color(label)} ${bold(withoutControls(id))} ${dim(`(specification ${withoutControls(section)})`)}`,
    ...shown,
    ...moreFindings(cause, review).map((line) => `  ${line}`),
    ...(consequencePhrase === undefined ? [] : [`  ${consequencePhrase}`]),
    ...daysOf(cause, review).map((line) => `  ${line}`),
    ...insteadsOf(cause).map((instead) => `  Instead: ${withoutControls(instead)}`),
  ]
}

function listOpen({ checks, requests }: JudgedReview): string[] {
  const open = checks.filter(({ result }) => result === 'not-exercised').map(({ id }) => id)
  if (open.length === 0 || requests === 0) return []
  return [withoutControls(`  not exercised: ${open.join(', ')}`)]
}

function describeDemands(
  { name, summary, list }: DemandList,
  { bold, green, red, yellow }: TerminalColors,
): string[] {
  const colors = { passed: green, warning: yellow, failed: red }
  const lines = list.map(({ what, label, text }) => {
    return `  ${colors[TONES[label]](label)} ${withoutControls(`${what}: ${text}`)}`
  })
  return [`${HEADINGS[name].toLowerCase()} ${bold(`${summary}.`)}`, ...lines]
}

const FEW_PROJECTS = 5

/**
 * Summarizes the ledger, and describes the reports with problems: one line per state and project. A state with more
 * than `FEW_PROJECTS` projects has a single line.
 */
function describeLedger(review: JudgedReview, { bold, yellow }: TerminalColors): string[] {
  if (review.ledger.length === 0) return []
  const states = new Map<LedgerEntry['state'], Map<string, number[]>>()
  for (const entry of exceptionsOf(review)) {
    const places = states.get(entry.state) ?? new Map<string, number[]>()
    const place = placeOf(entry, review)
    places.set(place, [...(places.get(place) ?? []), entry.report_number])
    states.set(entry.state, places)
  }
  const lines = [...states].flatMap(([state, places]) => {
    const each = Array.from(
      places,
      ([place, of]) => `${yellow(STATE_LABELS[state])}: ${place}, ${reportsOf(of)}`,
    )
    if (places.size <= FEW_PROJECTS) return each
    const count = [...places.values()].flat().length
    return [`${each[0]}; in all ${count} reports of ${places.size} projects`]
  })
  return [
    `reports ${bold(`${summarizeLedger(review)}.`)}`,
    ...firstLines(lines, SHOWN.deliveries).map((line) => `  ${line}`),
  ]
}

function reportsOf(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? 'report' : 'reports'} ${numbers.join(', ')}`
}
