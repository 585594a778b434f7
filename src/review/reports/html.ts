import { withoutControls, escapeHtml } from '../../contract/text.ts'
import { drawCalendar } from '../../drawing/calendar.ts'
import { drawGauge } from '../../drawing/gauge.ts'
import type { JudgedCheck, JudgedReview } from '../judge.ts'
import type { Review } from '../review.ts'
import { ledgerSection } from './html-ledger.ts'
import { STYLE, STYLE_HASH } from './html-style.ts'
import { HEADINGS, TONES } from './record.ts'
import type { DemandList } from './record.ts'
import { calendarRows, isRehearsed, describeLacks, summarizeRehearsal } from './rehearsal.ts'
import type { RehearsedReview } from './rehearsal.ts'
import type { ReportInput } from './report-input.ts'
import {
  andMore,
  daysOf,
  insteadsOf,
  labelOf,
  messageOf,
  outlineOf,
  reproductionOf,
  requestLines,
  shorten,
  SHOWN,
  splitAtCode,
  summarizeChecks,
} from './wording.ts'
import type { Outline } from './wording.ts'

const TITLES: Record<Review['verdict'], string> = {
  passed: 'The client passed the review',
  failed: 'The client failed the review',
  'nothing-read': 'The client never got an answer',
  'nothing-asked': 'The client asked nothing',
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

/** A review as one web page without scripts, which needs no other file and no network. */
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
  const label = 'How each run went'
  return [
    paragraph(`${summarizeRehearsal(rehearsal)}.`, 'summary'),
    `<div class="wide" role="region" tabindex="0" aria-label="${label}">${drawCalendar(calendarRows(rehearsal), label)}</div>\n`,
    paragraph(
      'A square is a run: whole where it was calm, with a hole where there were faults, an outline in an outage. Green: done. Yellow: failed. Red: it ended as if everything was done, or never ended.',
      'quiet',
    ),
    ...describeLacks(rehearsal).map((line) => paragraph(line, 'quiet')),
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

/** A text without markup, and without anything that changes the direction of the text around it. */
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

/** The share of the exercised checks that passed, in percent; null if none was exercised. */
function scoreOf(checks: readonly JudgedCheck[]): number | null {
  const exercised = checks.filter(({ result }) => result === 'passed' || result === 'failed')
  if (exercised.length === 0) return null
  const passed = exercised.filter(({ result }) => result === 'passed')
  return Math.floor((100 * passed.length) / exercised.length)
}

function findingsSection(failed: readonly JudgedCheck[], review: JudgedReview): string {
  if (failed.length === 0) return ''
  return `<h2>Findings</h2>\n${failed.map((check) => findingsOf(check, review)).join('')}`
}

function findingsOf(check: JudgedCheck, review: JudgedReview): string {
  const { id, section, findings } = check
  const shown = findings.slice(0, SHOWN.findingsOnPage).map((finding) => {
    const lines = shorten(requestLines(finding), SHOWN.requests)
    const items = lines.map((line) => `<li><code>${show(line)}</code>\n`)
    const repeat = reproductionOf(finding, review).map((line) => paragraph(line, 'quiet'))
    return `<div class="finding">\n${paragraph(messageOf(finding, review))}<ul>\n${items.join('')}</ul>\n${repeat.join('')}</div>\n`
  })
  const heading = `<h3><code>${show(id)}</code> ${labelTag(check)} <span class="quiet">specification ${show(section)}</span></h3>\n`
  const insteads = insteadsOf(check).map((instead) => paragraph(`Instead: ${instead}`))
  const rest = andMore(findings.length - SHOWN.findingsOnPage).map((line) =>
    paragraph(line, 'quiet'),
  )
  const days = daysOf(check, review).map((line) => paragraph(line, 'quiet'))
  return [heading, ...insteads, ...shown, ...rest, ...days].join('')
}

function demandsSection({ name, summary, list }: DemandList): string {
  const items = list.map(
    ({ what, label, text }) =>
      `<li><span class="${TONES[label]}">${label}</span> <code>${show(what)}</code>: ${showWithCode(text)}\n`,
  )
  return `<h2>${HEADINGS[name]}</h2>\n${paragraph(`${summary}.`)}<ul>\n${items.join('')}</ul>\n`
}

/** What is known about the run. */
function runSection(run: Outline['run']): string {
  const items = run.map(([name, text]) => `<li>${name}: <code>${show(text)}</code>\n`)
  return `<h2>The run</h2>\n<ul>\n${items.join('')}</ul>\n`
}

/** The review claims nothing about these. */
const OPEN: readonly JudgedCheck['result'][] = ['not-exercised', 'unsettled']

function labelTag(check: JudgedCheck): string {
  const label = labelOf(check)
  const isQuiet = OPEN.includes(check.result) || check.waived
  const className = isQuiet ? 'quiet' : label
  return `<span class="${className}">${label}</span>`
}

function checksSection({ checks }: JudgedReview): string {
  const rows = checks.map(
    (check) =>
      `<tr><th scope="row"><code>${show(check.id)}</code><td>${labelTag(check)}<td>${show(check.category)}<td>${show(check.section)}<td>${exerciseOf(check)}\n`,
  )
  return `<h2>All checks</h2>\n<div class="wide" role="region" tabindex="0" aria-label="All checks"><table><thead><tr><th scope="col">Check<th scope="col">Result<th scope="col">Category<th scope="col">Specification<th scope="col">How to exercise it
<tbody>${rows.join('')}</table></div>\n`
}

function exerciseOf({ result, exercise }: JudgedCheck): string {
  return result === 'not-exercised' ? showWithCode(exercise) : ''
}
