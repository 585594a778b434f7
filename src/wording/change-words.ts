import type { Explanation, ReportWait, SelectionExplanation } from '../contract/explanation.ts'
import type { RecordOf } from '../contract/records.ts'
import type { Overview } from '../world/overview.ts'
import { uncapitalize, capitalize } from './fit-on-line.ts'
import { toDay, toMinute } from './times.ts'

type Change = Explanation['changes'][number]
type Moved = Change['reports'][number]

/** Events of a report, as the words after its number. */
export const EVENT_WORDS: Readonly<Record<Overview['changes'][number]['event'], string>> = {
  created: 'is created',
  regenerated: 'is regenerated',
  started: 'starts',
  failed: 'fails',
  retried: 'starts again',
  completed: 'is completed',
  approved: 'is approved',
  sent: 'is sent to the client',
}

/** Events of a report by its new status. */
const STATUS_WORDS: Readonly<Record<Moved['status'], string>> = {
  pending: 'is pending',
  running: EVENT_WORDS.started,
  completed: EVENT_WORDS.completed,
  failed: EVENT_WORDS.failed,
}

/** Describes the next change by time, in the present tense: `report 19 starts`. */
export function changeWords({ reports, removed, latest }: Change, now: Explanation): string {
  const [first, ...others] = reports
  if (first)
    return `${movedWords(first, now)}${others.length > 0 ? ` and ${others.length} more` : ''}`
  if (removed.length > 0) return 'a report is removed'
  if (latest === (now.latest.selected?.id ?? null)) return 'the last generated report changes'
  const next = now.latest.candidates.find(({ report }) => report.id === latest)
  return next ? `report ${next.report.report_number} becomes latest` : 'no report is latest'
}

function movedWords(
  { id, report_number, status, sent, approved_status }: Moved,
  now: Explanation,
): string {
  const report = `report ${report_number}`
  const before = now.latest.candidates.find((one) => one.report.id === id)?.report
  if (!before) return `${report} ${EVENT_WORDS.created}`
  if (before.status !== status) return `${report} ${STATUS_WORDS[status]}`
  // A sent report is approved too, but the sending is the later event.
  if (sent) return `${report} ${EVENT_WORDS.sent}`
  return `${report} is ${approved_status ?? 'changed'}`
}

/**
 * Describes the coming changes of a report by time, in a sentence; empty without changes:
 * `Is completed on 1 Dec 2026 and sent to the client on 2 Dec 2026, if nothing is changed.`
 */
export function comingWords(report: RecordOf<'reports'>, changes: readonly Change[]): string {
  let last: Pick<Moved, 'status' | 'sent'> = report
  const words = changes.flatMap(({ at, reports }) => {
    const next = reports.find(({ id }) => id === report.id)
    if (!next) return []
    const word = stepWords(next, last)
    last = next
    return word === undefined ? [] : [`${word} on ${toDay(at)}`]
  })
  if (words.length === 0) return ''
  const sentence = words
    // `is completed …, is sent …` needs the verb once.
    .map((word, index) => (words[index - 1]?.startsWith('is ') ? word.replace(/^is /, '') : word))
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')
  return `${capitalize(sentence)}, if nothing is changed.`
}

/** Returns the reason of a report's delay, when it was due or failed, and its expected end, in sentences. */
export function waitWords(
  { reason, since, ready, to_client }: ReportWait,
  {
    status,
    date_to_create_texts: due,
  }: Pick<RecordOf<'reports'>, 'status' | 'date_to_create_texts'>,
): string {
  const isFailed = status === 'failed'
  const what = isFailed ? reason : `Late: ${uncapitalize(reason)}`
  const wasDue = due === null ? '' : ` It was due ${toDay(due)}.`
  const when = isFailed && since !== null ? ` It failed ${toMinute(since)}.` : wasDue
  const client = to_client === null ? '' : `, and with the client ${toMinute(to_client)}`
  const end =
    ready === null
      ? 'Time alone does not complete it.'
      : `It will be ready ${toMinute(ready)}${client}.`
  return `${what}.${when} ${end}`
}

function stepWords(
  next: Moved,
  { status, sent }: Pick<Moved, 'status' | 'sent'>,
): string | undefined {
  if (next.status !== status) return STATUS_WORDS[next.status]
  return next.sent && !sent ? EVENT_WORDS.sent : undefined
}

type Selection = Pick<SelectionExplanation, 'selected' | 'next_selection'>

/** Describes an endpoint's selection after the current report: `report 4, pending`, or `404` for none. */
export function nextWords({ selected, next_selection }: Selection): string {
  const next = next_selection?.selected
  if (!next) return '404'
  const { report_number, status } = next
  const again = report_number === selected?.report_number ? 'regenerated and ' : ''
  return `report ${report_number}, ${again}${status}`
}
