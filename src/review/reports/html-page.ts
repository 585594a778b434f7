import { withoutControls, escapeHtml } from '../../contract/text.ts'
import { drawCalendar } from '../../drawing/calendar.ts'
import { drawGauge } from '../../drawing/gauge.ts'
import type { JudgedCheck, JudgedReview } from '../judge.ts'
import type { Review, LedgerEntry } from '../review.ts'
import { HEADINGS, TONES, showTime } from './record.ts'
import type { DemandList } from './record.ts'
import {
  calendarRows,
  isRehearsed,
  describeExpected,
  describeNotRehearsed,
  summarizeRehearsal,
} from './rehearsal.ts'
import type { RehearsedReview } from './rehearsal.ts'
import type { ReportInput } from './report-input.ts'
import {
  restLine,
  daysOf,
  insteadsOf,
  labelOf,
  findingMessage,
  outlineOf,
  reproductionOf,
  requestLines,
  firstLines,
  SHOWN,
  splitAtCode,
  summarizeChecks,
  exceptionsOf,
  sortLedger,
  STATE_LABELS,
  STATE_MEANINGS,
  summarizeLedger,
} from './wording.ts'
import type { Outline, ShownCause } from './wording.ts'
import { drawDeliveries } from '../../drawing/deliveries.ts'

const TITLES: Record<Review['verdict'], string> = {
  passed: 'The client passed the review',
  failed: 'The client failed the review',
  'nothing-read': 'The client got no 200',
  'nothing-asked': 'The client made no request',
}

const REHEARSAL_TITLES: Record<Review['verdict'], string> = {
  ...TITLES,
  passed: 'The client passed the rehearsal',
  failed: 'The client failed the rehearsal',
}

function titleOf(review: JudgedReview): string {
  if (!isRehearsed(review)) return TITLES[review.verdict]
  return review.stopped ? 'The rehearsal was stopped' : REHEARSAL_TITLES[review.verdict]
}

/** Writes a review as a single web page. It has no scripts, and loads no other file. */
export function toHtml(input: ReportInput): string {
  const outline = outlineOf(input)
  const { review, rehearsal, budget, summary, hints, failed, demands, run, reproductions } = outline
  const parts = [
    openDocument(titleOf(review)),
    rehearsal ? rehearsalSection(rehearsal) : '',
    paragraph(summary, rehearsal ? undefined : 'summary'),
    ...hints.map((hint) => paragraph(hint)),
    ...reproductions.map(([phrase, command]) => `<p>${phrase} <code>${show(command)}</code></p>\n`),
    ...demands.map(demandsSection),
    scoresSection(review),
    findingsSection(failed, review),
    ledgerSection(review),
    budget === undefined ? '' : `<h2>Requests</h2>\n${paragraph(budget)}`,
    checksSection(review),
    runSection(run),
    '</main>\n</html>\n',
  ]
  return parts.join('')
}

function rehearsalSection(rehearsal: RehearsedReview): string {
  const label = 'Results of the runs'
  return [
    paragraph(`${summarizeRehearsal(rehearsal)}.`, 'summary'),
    paragraph(describeExpected(rehearsal)),
    `<div class="wide" role="region" tabindex="0" aria-label="${label}">${drawCalendar(calendarRows(rehearsal), label)}</div>\n`,
    paragraph(
      'Each square is a run: solid if it was calm, with a hole if there were faults, an outline in an outage. Green: done. Yellow: failed. Red: ended as if everything was done, or never ended.',
      'quiet',
    ),
    ...describeNotRehearsed(rehearsal).map((line) => paragraph(line, 'quiet')),
  ].join('')
}

function openDocument(title: string): string {
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${show(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${show(title)}</h1>
`
}

/**
 * Escapes text for HTML, and makes control characters visible, because some of them change the direction of the text
 * around them.
 */
function show(text: string): string {
  return escapeHtml(withoutControls(text))
}

function paragraph(text: string, className?: string): string {
  const attribute = className === undefined ? '' : ` class="${className}"`
  return `<p${attribute} dir="auto">${showWithCode(text)}</p>\n`
}

function showWithCode(text: string): string {
  const parts = splitAtCode(text).map((part, index) =>
    index % 2 === 1 ? `<code>${show(part)}</code>` : show(part),
  )
  return parts.join('')
}

function scoresSection({ checks }: JudgedReview): string {
  const categories = [...new Set(checks.map(({ category }) => category))]
  const items = categories.map((category) => {
    const own = checks.filter((check) => check.category === category)
    const score = scoreOf(own)
    const name = `${category.charAt(0).toUpperCase()}${category.slice(1)}`
    const label = `${name}: ${score === null ? 'no score' : `${score} of 100`}`
    return `<li>${drawGauge(score, label)}<strong>${show(name)}</strong><span class="quiet">${show(summarizeChecks(own))}</span>\n`
  })
  const note = 'A score is the share of the checks that passed among those that were exercised.'
  return `<h2>Scores</h2>\n<ul class="scores">\n${items.join('')}</ul>\n${paragraph(note, 'quiet')}`
}

/** Returns the percentage of exercised checks that passed, rounded down; null if no check was exercised. */
function scoreOf(checks: readonly JudgedCheck[]): number | null {
  const exercised = checks.filter(({ result }) => result === 'passed' || result === 'failed')
  if (exercised.length === 0) return null
  const passed = exercised.filter(({ result }) => result === 'passed')
  return Math.floor((100 * passed.length) / exercised.length)
}

function findingsSection(failed: readonly ShownCause[], review: JudgedReview): string {
  if (failed.length === 0) return ''
  return `<h2>Findings</h2>\n${failed.map((cause) => causeOf(cause, review)).join('')}`
}

function causeOf(cause: ShownCause, review: JudgedReview): string {
  const { id, section, label, findings, consequencePhrase } = cause
  const [first, ...others] = findings.slice(0, SHOWN.findingsOnPage).map((finding) => {
    const lines = firstLines(requestLines(finding), SHOWN.requests)
    const items = lines.map((line) => `<li><code>${show(line)}</code>\n`)
    const repeat = reproductionOf(finding, review).map((line) => paragraph(line, 'quiet'))
    return `<div class="finding">\n${paragraph(findingMessage(finding, review))}<ul>\n${items.join('')}</ul>\n${repeat.join('')}</div>\n`
  })
  const tag = `<span class="${label === 'waived' ? 'quiet' : label}">${label}</span>`
  const heading = `<h3><code>${show(id)}</code> ${tag} <span class="quiet">specification ${show(section)}</span></h3>\n`
  const insteads = insteadsOf(cause).map((instead) => paragraph(`Instead: ${instead}`))
  const rest = restLine(findings.length - SHOWN.findingsOnPage).map((line) =>
    paragraph(line, 'quiet'),
  )
  const more =
    others.length === 0
      ? ''
      : `<details><summary>${others.length} more like this</summary>\n${[...others, ...rest].join('')}</details>\n`
  const notes = [
    ...(consequencePhrase === undefined ? [] : [consequencePhrase]),
    ...daysOf(cause, review),
  ]
  return [heading, ...insteads, first, more, ...notes.map((line) => paragraph(line, 'quiet'))].join(
    '',
  )
}

function demandsSection({ name, summary, list }: DemandList): string {
  const items = list.map(
    ({ what, label, text }) =>
      `<li><span class="${TONES[label]}">${label}</span> <code>${show(what)}</code>: ${showWithCode(text)}\n`,
  )
  return `<h2>${HEADINGS[name]}</h2>\n${paragraph(`${summary}.`)}<ul>\n${items.join('')}</ul>\n`
}

function runSection(run: Outline['run']): string {
  const items = run.map(([name, text]) => `<li>${name}: <code>${show(text)}</code>\n`)
  return `<h2>The run</h2>\n<ul>\n${items.join('')}</ul>\n`
}

const QUIET_RESULTS: readonly JudgedCheck['result'][] = ['not-exercised', 'unsettled']

function labelTag(check: JudgedCheck): string {
  const label = labelOf(check)
  const isQuiet = QUIET_RESULTS.includes(check.result) || check.waived
  const className = isQuiet ? 'quiet' : label
  return `<span class="${className}">${label}</span>`
}

function checksSection({ checks }: JudgedReview): string {
  const rows = checks.map(
    (check) =>
      `<tr><th scope="row"><code>${show(check.id)}</code><td>${labelTag(check)}<td>${show(check.category)}<td>${show(check.section)}<td>${exerciseOf(check)}\n`,
  )
  return `<h2>All checks</h2>\n<div class="wide" role="region" tabindex="0" aria-label="All checks"><table><thead><tr><th scope="col">Check<th scope="col">Result<th scope="col">Category<th scope="col">Specification<th scope="col">To exercise it
<tbody>${rows.join('')}</table></div>\n`
}

function exerciseOf({ result, exercise }: JudgedCheck): string {
  return result === 'not-exercised' ? showWithCode(exercise) : ''
}

const MOST_TIMELINE_ROWS = 60
const MOST_TABLE_ROWS = 300

type Ledger = Pick<Review, 'ledger' | 'sessions'>

function ledgerSection(review: Ledger): string {
  const { ledger } = review
  if (ledger.length === 0) return ''
  const exceptions = exceptionsOf(review)
  const delivered = sortLedger(ledger.filter(({ state }) => state === 'delivered'))
  return [
    `<h2>Reports</h2>\n<p>${escapeHtml(summarizeLedger(review))}.</p>\n`,
    timeline(sortLedger([...exceptions, ...delivered].slice(0, MOST_TIMELINE_ROWS)), review),
    legend(exceptions),
    exceptions.length === 0
      ? ''
      : table(exceptions, review, 'Reports that were not delivered as they should be'),
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
  const label = 'Completion and first fetch of each report'
  const note =
    shown.length === count
      ? ''
      : `<p class="quiet">The timeline has ${shown.length} of ${count} reports, first those that were not delivered as they should be.</p>\n`
  return `<div class="wide" role="region" tabindex="0" aria-label="Timeline of the reports">${drawDeliveries(rows, label)}</div>
<p class="quiet">A ring marks the completion of a report, a dot the first fetch of its content, in UTC by the world clock. A line without a ring is a report that was completed from the start.</p>\n${note}`
}

function toMs(time: string | null): number | null {
  const ms = time === null ? NaN : Date.parse(time)
  return Number.isNaN(ms) ? null : ms
}

function legend(exceptions: readonly LedgerEntry[]): string {
  const states = [...new Set(exceptions.map(({ state }) => state))].toSorted()
  const items = states.map(
    (state) =>
      `<li><span class="failed">${STATE_LABELS[state]}</span>: ${escapeHtml(STATE_MEANINGS[state])}\n`,
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
    return `<tr><th scope="row">${place.join(', ')}, ${report_number}<td><span class="${className}">${STATE_LABELS[state]}</span><td>${times.join('<td>')}<td>${fetches}\n`
  })
  return `<div class="wide" role="region" tabindex="0" aria-label="${name}"><table><thead><tr><th scope="col">${sessions > 1 ? 'Session, project' : 'Project'}, report<th scope="col">State<th scope="col">Completed<th scope="col">First fetched<th scope="col">Fetches
<tbody>${rows.join('')}</table></div>\n${rest > 0 ? `<p class="quiet">and ${rest} more</p>\n` : ''}`
}

/**
 * The page's content security policy allows this style by its hash. After a change of the style, a failing test shows
 * the new hash.
 */
const STYLE = `
:root { color-scheme: light dark; --text: #1d2329; --quiet: #5b6670; --line: #dde2e6; --page: #fff; --raised: #f6f8f9; --passed: #187a4b; --warning: #8a5a00; --failed: #b3261e; --link: #0b5cad }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaed; --quiet: #9ba7b1; --line: #343c43; --page: #15191d; --raised: #1d2329; --passed: #5cc792; --warning: #e0b25a; --failed: #ff8a80; --link: #7db8f5 }
}
html { background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; text-size-adjust: 100% }
body { margin: 0 }
main { margin: 0 auto; max-width: 48rem; overflow-wrap: anywhere; padding: 2rem 1rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem }
h2 { border-top: 1px solid var(--line); font-size: 1.25rem; margin: 2.5rem 0 1rem; padding-top: 1.5rem }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem }
h3 .quiet { font-weight: 400 }
p { margin: 0 0 .5rem }
ul { margin: 0 0 .5rem; padding-left: 1.25rem }
code { font: .875em/1.5 ui-monospace, monospace; unicode-bidi: isolate }
.summary { font-size: 1.125rem }
.quiet { color: var(--quiet) }
.passed { color: var(--passed) }
.failed { color: var(--failed) }
.warning, .notice { color: var(--warning) }
.passed, .failed, .warning, .notice { font-weight: 600 }
.scores { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; margin-bottom: 1rem; padding: 0 }
.scores li { flex: 1 1 8rem; text-align: center }
.scores svg { display: block; margin: 0 auto .25rem }
.scores strong { display: block }
.finding { background: var(--raised); border-radius: .5rem; margin: 0 0 .75rem; padding: .75rem 1rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; overflow-wrap: normal; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .75rem .4rem 0; text-align: start; vertical-align: top }
th { font-weight: 600 }
td { font-variant-numeric: tabular-nums; white-space: nowrap }
thead { color: var(--quiet); font-size: .875rem }
summary { cursor: pointer; margin: 1rem 0 .5rem }
@media print {
  @page { margin: 1.5cm }
  :root { color-scheme: light; --text: #000; --quiet: #444; --line: #ccc; --page: #fff; --raised: #fff; --passed: #187a4b; --warning: #8a5a00; --failed: #b3261e }
  html { font-size: 10pt }
  main { max-width: none; padding: 0 }
  h2, h3 { break-after: avoid }
  .finding, tr, .scores { break-inside: avoid }
  .finding { border: 1px solid var(--line) }
  .wide { overflow: visible }
  .wide svg { height: auto; max-width: 100% }
}
`

const STYLE_HASH = 'Njp4IV8FviPKrZEeMt3nspSKFebTLamgiNqZE2KwHJM='
