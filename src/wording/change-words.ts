import type { Explanation, ReportWait, SelectionExplanation } from '../contract/explanation.ts'
import type { RecordOf } from '../contract/records.ts'
import type { Overview } from '../world/overview.ts'
import { uncapitalize, capitalize } from './fit-on-line.ts'
import { toDay, toMinute } from './times.ts'

type Change = Explanation['changes'][number]
type Moved = Change['reports'][number]

type Event = Overview['changes'][number] | NonNullable<Overview['next']>

/** Verb phrases for the events of a report, to follow its number: `starts`. */
export const EVENT_WORDS: Readonly<Record<Event['event'], string>> = {
  latest: 'becomes latest',
  created: 'is created',
  regenerated: 'is regenerated',
  started: 'starts',
  failed: 'fails',
  retried: 'starts again',
  completed: 'is completed',
  approved: 'is approved',
  sent: 'is sent to the customer',
}

/** Describes an event with its project: `report 19 of Tidewater Physio becomes latest`. */
export function eventWords({ report_number, event }: Event, project: string): string {
  if (report_number === null) return `${project} loses its latest report`
  return `report ${report_number} of ${project} ${EVENT_WORDS[event]}`
}

const STATUS_WORDS: Readonly<Record<Moved['status'], string>> = {
  pending: 'is pending',
  running: EVENT_WORDS.started,
  completed: EVENT_WORDS.completed,
  failed: EVENT_WORDS.failed,
}

/** Describes a change that time will bring, in the present tense: `report 19 starts`. `now` is the state before the change. */
export function changeWords({ reports, removed, latest }: Change, now: Explanation): string {
  const [first, ...others] = reports
  if (first)
    return `${movedWords(first, now)}${others.length > 0 ? ` and ${others.length} more` : ''}`
  if (removed.length > 0) return 'a report is removed'
  if (latest === (now.latest.selected?.id ?? null)) return 'the last generated report changes'
  const next = now.latest.candidates.find(({ report }) => report.id === latest)
  return next ? `report ${next.report.report_number} ${EVENT_WORDS.latest}` : 'no report is latest'
}

function movedWords(
  { id, report_number, status, sent, approved_status }: Moved,
  now: Explanation,
): string {
  const report = `report ${report_number}`
  const before = now.latest.candidates.find((one) => one.report.id === id)?.report
  if (!before) return `${report} ${EVENT_WORDS.created}`
  if (before.status !== status) return `${report} ${STATUS_WORDS[status]}`
  // A sent report stays approved, so sending, the later step, is tested first.
  if (sent) return `${report} ${EVENT_WORDS.sent}`
  return `${report} is ${approved_status ?? 'changed'}`
}

/**
 * Describes, in one sentence, the changes of status and the sending that time will bring to a report; empty if there
 * are none. For example: `Is completed on 1 Dec 2026 and sent to the customer on 2 Dec 2026, if nothing is changed.`
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
    // `is completed …, is sent …` becomes `is completed …, sent …`.
    .map((word, index) => (words[index - 1]?.startsWith('is ') ? word.replace(/^is /, '') : word))
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')
  return `${capitalize(sentence)}, if nothing is changed.`
}

/**
 * Describes a late or failed report in sentences: the reason, its due date or the time of its failure, and its expected
 * completion.
 */
export function waitWords(
  { reason, since, ready, to_client }: ReportWait,
  {
    status,
    date_to_create_texts: due,
  }: Pick<RecordOf<'reports'>, 'status' | 'date_to_create_texts'>,
): string {
  const isFailed = status === 'failed'
  const cause = isFailed ? reason : `Late: ${uncapitalize(reason)}`
  const wasDue = due === null ? '' : ` It was due on ${toDay(due)}.`
  const when = isFailed && since !== null ? ` It failed on ${toMinute(since)}.` : wasDue
  const customer =
    to_client === null
      ? ', and then waits to be sent'
      : `, and with the customer on ${toMinute(to_client)}`
  const end =
    ready === null
      ? 'It stays so until a command completes it.'
      : `It will be ready on ${toMinute(ready)}${customer}.`
  return `${cause}.${when} ${end}`
}

function stepWords(
  next: Moved,
  { status, sent }: Pick<Moved, 'status' | 'sent'>,
): string | undefined {
  if (next.status !== status) return STATUS_WORDS[next.status]
  return next.sent && !sent ? EVENT_WORDS.sent : undefined
}

type Selection = Pick<SelectionExplanation, 'selected' | 'next_selection'>

/** Describes the next selection of an endpoint: `report 4, pending, becomes latest`. */
export function nextWords({ selected, next_selection }: Selection, endpoint: string): string {
  const next = next_selection?.selected
  if (!next) return `${endpoint} becomes a 404`
  const { report_number, status } = next
  const again = report_number === selected?.report_number ? 'regenerated and ' : ''
  return `report ${report_number}, ${again}${status}, becomes ${endpoint}`
}
