import { withoutControls } from '../../contract/text.ts'
import type { JudgedReview } from '../judge.ts'
import { HEADINGS, showTime } from './record.ts'
import type { DemandList } from './record.ts'
import {
  CALENDAR_LEGEND,
  calendarLines,
  describeExpected,
  describeNotRehearsed,
  describeVerdict,
  summarizeRehearsal,
} from './rehearsal.ts'
import type { RehearsedReview } from './rehearsal.ts'
import type { ReportInput } from './report-input.ts'
import {
  restLine,
  daysOf,
  exceptionsOf,
  insteadsOf,
  findingMessage,
  moreFindings,
  outlineOf,
  reproductionOf,
  requestLines,
  SHOWN,
  splitAtCode,
  STATE_LABELS,
  summarizeLedger,
} from './wording.ts'
import type { ShownCause } from './wording.ts'

function describeRehearsal(rehearsal: RehearsedReview): string[] {
  return [
    escapeMarkdown(`${summarizeRehearsal(rehearsal)}.`),
    escapeMarkdown(describeExpected(rehearsal)),
    ['```text', ...calendarLines(rehearsal), ...CALENDAR_LEGEND, '```'].join('\n'),
    ...describeNotRehearsed(rehearsal).map(escapeMarkdown),
  ]
}

/** Writes a review as Markdown, for the summary of a CI job or for a pull request. */
export function toMarkdown(input: ReportInput): string {
  const outline = outlineOf(input)
  const { review, rehearsal, budget, summary, hints, failed, demands, run, reproductions } = outline
  const parts = [
    `## ${rehearsal ? 'Rehearsal' : 'Review'} of the client: ${describeVerdict(review)}`,
    ...(rehearsal ? describeRehearsal(rehearsal) : []),
    ...[summary, ...hints].map(escapeMarkdown),
    ...failed.map((cause) => describeCause(cause, review)),
    ...demands.map(describeDemands),
    ...describeLedger(review),
    ...(budget === undefined ? [] : ['### Requests', escapeMarkdown(budget)]),
    ...describeOpen(review),
    folded(
      'The run',
      run.map(([name, text]) => `- ${name}: ${escapeMarkdown(text)}`),
    ),
    ...reproductions.map(([phrase, command]) => `${phrase} ${codeSpan(command)}`),
  ]
  return `${parts.join('\n\n')}\n`
}

function describeCause(cause: ShownCause, review: JudgedReview): string {
  const { id, section, label, consequencePhrase } = cause
  const items = cause.findings.slice(0, SHOWN.findings).flatMap((finding) => {
    const lines = requestLines(finding)
    return [
      `- ${toInline(findingMessage(finding, review))}`,
      ...lines.slice(0, SHOWN.requests).map((line) => `  - ${codeSpan(line)}`),
      ...restLine(lines.length - SHOWN.requests).map((line) => `  - ${line}`),
      ...reproductionOf(finding, review).map((line) => `  - ${escapeMarkdown(line)}`),
    ]
  })
  const more = [
    ...moreFindings(cause, review),
    ...(consequencePhrase === undefined ? [] : [consequencePhrase]),
  ]
  const heading = `### ${label}: ${escapeMarkdown(id)} (specification ${escapeMarkdown(section)})`
  const insteads = insteadsOf(cause).map((instead) => `Instead: ${toInline(instead)}`)
  const days = daysOf(cause, review).flatMap((line) => ['', escapeMarkdown(line)])
  return [heading, '', ...insteads, '', ...items, ...more.map((line) => `- ${line}`), ...days].join(
    '\n',
  )
}

function describeLedger(review: JudgedReview): string[] {
  if (review.ledger.length === 0) return []
  const exceptions = exceptionsOf(review)
  const heading = `### Reports: ${summarizeLedger(review)}`
  if (exceptions.length === 0) return [heading]
  const rows = exceptions.map((entry) => {
    const { session, project, report_number, finished_at, first_fetched_at, fetches, state } = entry
    const times = [showTime(finished_at), showTime(first_fetched_at)].map(escapeMarkdown)
    const place = review.sessions > 1 ? [session, project] : [project]
    return `| ${[STATE_LABELS[state], ...place, report_number, ...times, fetches].join(' | ')} |`
  })
  const session = review.sessions > 1 ? ' session |' : ''
  const table = [
    `| state |${session} project | report | completed | first fetched | fetches |`,
    `|${' --- |'.repeat(review.sessions > 1 ? 7 : 6)}`,
    ...rows.slice(0, SHOWN.deliveries),
  ]
  const rest = restLine(rows.length - SHOWN.deliveries)
  return [heading, table.join('\n'), ...rest]
}

function describeOpen({ checks }: JudgedReview): string[] {
  const open = checks.filter(({ result }) => result === 'not-exercised')
  if (open.length === 0) return []
  const items = open.map(({ id, exercise }) => `- ${codeSpan(id)}: ${toInline(exercise)}`)
  return [folded('Exercising the remaining checks', items)]
}

function folded(title: string, items: readonly string[]): string {
  return ['<details>', `<summary>${title}</summary>`, '', ...items, '', '</details>'].join('\n')
}

function describeDemands({ name, summary, list }: DemandList): string {
  const items = list.map(
    ({ what, label, text }) => `- ${label}: ${codeSpan(what)}: ${toInline(text)}`,
  )
  return [`### ${HEADINGS[name]}: ${summary}`, '', ...items].join('\n')
}

function toInline(text: string): string {
  return splitAtCode(text)
    .map((part, index) => (index % 2 === 1 ? codeSpan(part) : escapeMarkdown(part)))
    .join('')
}

function escapeMarkdown(text: string): string {
  return withoutControls(text).replaceAll(/[\\`*_[\]<>&|~#!]/g, String.raw`\$&`)
}

function codeSpan(text: string): string {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1)
  const space = runs.length > 0 ? ' ' : ''
  return `${fence}${space}${withoutControls(text)}${space}${fence}`
}
