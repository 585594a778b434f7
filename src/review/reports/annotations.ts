import { withoutControls } from '../../contract/text.ts'
import type { JudgedReview } from '../judge.ts'
import { HEADINGS } from './record.ts'
import type { Demand, DemandList } from './record.ts'
import type { ReportInput } from './report-input.ts'
import {
  moreFindings,
  daysOf,
  insteadsOf,
  findingMessage,
  outlineOf,
  requestLines,
  firstLines,
  SHOWN,
} from './wording.ts'
import type { ShownCause } from './wording.ts'

interface Annotation {
  level: 'error' | 'warning' | 'notice'
  title: string
  lines: readonly string[]
}

/**
 * Writes a review as workflow commands of GitHub Actions, with one annotation per mistake, because GitHub shows only
 * ten of each level.
 */
export function toAnnotations(input: ReportInput): string {
  const { review, summary, hints, failed, demands } = outlineOf(input)
  const annotations = [
    ...describeOutcome(review, { summary, hints }),
    ...failed.map((cause) => describeCause(cause, review)),
    ...demands.flatMap(describeDemands),
  ]
  return annotations.map(toCommand).join('')
}

/** Describes problems that no check reports: nothing was reviewed or read, or a rehearsal was stopped. */
function describeOutcome(
  { verdict, stopped }: JudgedReview,
  { summary, hints }: { summary: string; hints: readonly string[] },
): Annotation[] {
  if (hints.length === 0 && !stopped) return []
  const isFailure = stopped || verdict === 'nothing-read'
  const level = isFailure ? 'error' : 'warning'
  return [{ level, title: 'Review of the client', lines: [summary, ...hints] }]
}

const CHECK_LEVELS: Readonly<Record<string, Annotation['level']>> = {
  failed: 'error',
  warning: 'warning',
}

function describeCause(cause: ShownCause, review: JudgedReview): Annotation {
  const { id, section, label, consequencePhrase } = cause
  return {
    level: CHECK_LEVELS[label] ?? 'notice',
    title: `${label}: ${id} (specification ${section})`,
    lines: [
      ...cause.findings
        .slice(0, SHOWN.findings)
        .flatMap((finding) => [
          findingMessage(finding, review),
          ...firstLines(requestLines(finding), SHOWN.requests).map((line) => `  ${line}`),
        ]),
      ...moreFindings(cause, review),
      ...(consequencePhrase === undefined ? [] : [consequencePhrase]),
      ...daysOf(cause, review),
      ...insteadsOf(cause).map((instead) => `Instead: ${instead}`),
    ],
  }
}

/** Annotation levels by label. A demand with any other label needs no action, so it has no annotation. */
const DEMAND_LEVELS: Partial<Record<Demand['label'], Annotation['level']>> = {
  'not met': 'error',
  expired: 'error',
  unused: 'warning',
}

function describeDemands({ name, list }: DemandList): Annotation[] {
  return list.flatMap(({ what, label, text }) => {
    const level = DEMAND_LEVELS[label]
    if (level === undefined) return []
    return [{ level, title: `${HEADINGS[name]}: ${what}: ${label}`, lines: [text] }]
  })
}

function toCommand({ level, title, lines }: Annotation): string {
  const data = escapeData(lines.map(withoutControls).join('\n'))
  return `::${level} title=${escapeProperty(withoutControls(title))}::${data}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
