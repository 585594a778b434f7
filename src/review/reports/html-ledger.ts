import { escapeHtml } from '../../contract/text.ts'
import { drawDeliveries } from '../../drawing/deliveries.ts'
import type { LedgerEntry, Review } from '../review.ts'
import { showTime } from './show-time.ts'
import { exceptionsOf, inOrder, STATE_MEANINGS, summarizeLedger } from './wording.ts'

/** The most rows of the timeline. */
const MOST_ROWS = 60
/** The most rows of a table; JSON has all. */
const MOST_TABLE_ROWS = 300

/** The part of a review that is about reports. */
type Ledger = Pick<Review, 'ledger' | 'sessions'>

/** When each report was completed and first fetched, as a timeline and as tables. */
export function ledgerSection(review: Ledger): string {
  const { ledger } = review
  if (ledger.length === 0) return ''
  const exceptions = exceptionsOf(review)
  const delivered = inOrder(ledger.filter(({ state }) => state === 'delivered'))
  return [
    `<h2>Reports</h2>\n<p>${escapeHtml(summarizeLedger(review))}.</p>\n`,
    timeline(inOrder([...exceptions, ...delivered].slice(0, MOST_ROWS)), review),
    legend(exceptions),
    exceptions.length === 0
      ? ''
      : table(exceptions, review, 'Reports that were not simply delivered'),
    delivered.length === 0
      ? ''
      : `<details><summary>Delivered (${delivered.length})</summary>\n${table(delivered, review, 'Delivered reports')}</details>\n`,
  ].join('')
}

function timeline(shown: readonly LedgerEntry[], review: Ledger): string {
  const count = review.ledger.filter(({ state }) => state !== 'unsettled').length
  const rows = shown.map((entry) => ({
    label: `${review.sessions > 1 ? `session ${entry.session}: ` : 'project '}${entry.project}, report ${entry.report_number}`,
    finishedMs: toMs(entry.finished_at),
    fetchedMs: toMs(entry.first_fetched_at),
    state: entry.state,
  }))
  const label = 'When each report was completed and first fetched'
  const note =
    shown.length === count
      ? ''
      : `<p class="quiet">The timeline has ${shown.length} of ${count} reports, first those that were not simply delivered.</p>\n`
  return `<div class="wide" role="region" tabindex="0" aria-label="Timeline of the reports">${drawDeliveries(rows, label)}</div>
<p class="quiet">A ring is when a report was completed, a dot when its content was first fetched, in UTC by the world clock. A line without a ring is for a report that was completed from the start.</p>\n${note}`
}

function toMs(time: string | null): number | null {
  const ms = time === null ? NaN : Date.parse(time)
  return Number.isNaN(ms) ? null : ms
}

/** What the states that occur here mean. */
function legend(exceptions: readonly LedgerEntry[]): string {
  const states = [...new Set(exceptions.map(({ state }) => state))].toSorted()
  const items = states.map(
    (state) => `<li><span class="failed">${state}</span>: ${escapeHtml(STATE_MEANINGS[state])}\n`,
  )
  return items.length === 0 ? '' : `<ul>\n${items.join('')}</ul>\n`
}

function table(entries: readonly LedgerEntry[], { sessions }: Ledger, name: string): string {
  const rest = entries.length - MOST_TABLE_ROWS
  const rows = entries.slice(0, MOST_TABLE_ROWS).map((entry) => {
    const { session, project, report_number, finished_at, first_fetched_at, fetches, state } = entry
    const times = [finished_at, first_fetched_at].map((time) => escapeHtml(showTime(time)))
    const className = state === 'delivered' ? 'passed' : 'failed'
    const place = sessions > 1 ? [session, project] : [project]
    return `<tr><th scope="row">${place.join(', ')}, ${report_number}<td><span class="${className}">${state}</span><td>${times.join('<td>')}<td>${fetches}\n`
  })
  return `<div class="wide" role="region" tabindex="0" aria-label="${name}"><table><thead><tr><th scope="col">${sessions > 1 ? 'Session, project' : 'Project'}, report<th scope="col">State<th scope="col">Completed<th scope="col">First fetched<th scope="col">Fetches
<tbody>${rows.join('')}</table></div>\n${rest > 0 ? `<p class="quiet">and ${rest} more</p>\n` : ''}`
}
