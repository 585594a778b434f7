import { escapeHtml } from '../contract/text.ts'
import { parseUrl } from '../contract/url.ts'
import { drawStandings, BAND_STRENGTHS } from '../drawing/standings.ts'
import {
  describeAuthor,
  describeChange,
  reportTitle,
  labelsOf,
  languageTag,
  showAddress,
  showChange,
  showPosition,
  toStandings,
  toTables,
  summarize,
} from './page-labels.ts'
import type { KeywordTable, PageLabels, Sentence } from './page-labels.ts'
import { colorOf, BANDS, countMissing, AGENCY_COLORS } from './report-page.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'

export function renderHtml(page: ReportPage): string {
  const labels = labelsOf(page.language)
  const title = `${page.project} · ${reportTitle(page, labels)}`
  const parts = [
    openDocument(title, labels.locale, `<body class="agency-${colorOf(page.agency)}">\n`),
    renderHeader(page, labels),
  ]
  const { covered, further } = toTables(page, labels)
  if (page.keywords.length === 0)
    parts.push(`<p class="note">${escapeHtml(labels.no_keywords)}</p>\n`)
  else parts.push(`<p class="summary">${toHtml(summarize(page, labels))}</p>\n`)
  parts.push(renderChart(page, labels), renderTable(covered, page, labels))
  const lang = languageTag(page.textLanguage)
  for (const keyword of covered.keywords) parts.push(renderKeyword(keyword, lang))
  parts.push(renderTable(further, page, labels))
  parts.push('</main>\n</html>\n')
  return parts.join('')
}

/** Renders a page with a title and a single sentence. */
export function renderSentence(title: string, sentence: string): string {
  return `${openDocument(title, 'en')}<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(sentence)}</p>\n</main>\n</html>\n`
}

function openDocument(title: string, lang: string, body = ''): string {
  return `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
${body}<main>
`
}

function renderHeader(page: ReportPage, labels: PageLabels): string {
  const author = describeAuthor(page, labels)
  const facts = [
    page.website === null ? '' : toLink(page.website),
    author ? `<span>${toHtml(author)}</span>` : '',
  ]
  return `<header><div class="top"><p class="agency" dir="auto">${escapeHtml(page.agency.name)}</p><a href="${escapeHtml(page.pdf)}">PDF</a></div>
<h1 dir="auto">${escapeHtml(page.project)}</h1>
<p class="description" dir="auto">${escapeHtml(reportTitle(page, labels))}</p>
${page.keywords.some(({ content }) => content) ? `<p class="texts">${escapeHtml(labels.texts)}</p>\n` : ''}<p class="facts">${facts.join(' ')}</p></header>
`
}

/** Renders a sentence as HTML. Names are isolated, so that they do not affect the direction of the text around them. */
function toHtml(sentence: Sentence): string {
  return sentence
    .map((part) =>
      typeof part === 'string' ? escapeHtml(part) : `<bdi>${escapeHtml(part.name)}</bdi>`,
    )
    .join('')
}

function renderChart(page: ReportPage, labels: PageLabels): string {
  const latest = page.months.at(-1)
  if (!latest) return ''
  const bands = BANDS.map(
    ({ name }, band) =>
      `<li class="band-${band}"><span>${name}</span> <b>${latest.counts[band]}</b>`,
  )
  const missing = countMissing(page.keywords)
  if (missing > 0) {
    const name = `– ${escapeHtml(labels.not_found)}`
    bands.push(`<li class="missing"><span>${name}</span> <b>${missing}</b>`)
  }
  return `<figure><figcaption>${escapeHtml(labels.chart)}</figcaption>
${drawStandings(toStandings(page, labels), labels.chart)}
<ul>${bands.join('')}</ul></figure>
`
}

function renderTable(
  { heading, keywords }: KeywordTable,
  page: ReportPage,
  labels: PageLabels,
): string {
  if (keywords.length === 0) return ''
  const change = describeChange(page, labels)
  const rows = keywords.map((keyword) => {
    const { id, keyword: phrase, url, content } = keyword
    const text = escapeHtml(phrase)
    const name = content
      ? `<th scope="row" dir="auto"><a href="#keyword-${id}">${text}</a>`
      : `<th scope="row" dir="auto" id="keyword-${id}"><span>${text}</span>`
    const { text: by, direction = 'same' } = showChange(keyword, labels)
    const changed = change === undefined ? '' : `<td class="${direction}">${escapeHtml(by)}`
    return `<tr>${name}${url === null ? '' : toLink(url, showAddress(url, page))}<td>${showPosition(keyword)}${changed}\n`
  })
  const heads = [labels.position, ...(change === undefined ? [] : [change])]
  return `<table><thead><tr><th scope="col">${escapeHtml(heading)}${heads.map((head) => `<th scope="col">${escapeHtml(head)}`).join('')}
<tbody>${rows.join('')}</table>\n`
}

function renderKeyword({ id, keyword, content }: PageKeyword, lang: string): string {
  const blocks = (content?.() ?? []).map(({ heading: h3, text }) => {
    const above = h3 === '' ? '' : `<h3 dir="auto">${escapeHtml(h3)}</h3>`
    return `<div>${above}<p dir="auto">${escapeHtml(text)}</p></div>\n`
  })
  return `<section id="keyword-${id}"><h2 dir="auto">${escapeHtml(keyword)}</h2>\n<div lang="${lang}">${blocks.join('')}</div></section>\n`
}

/** Renders a valid http or https URL as a link, and any other address as plain text. */
function toLink(address: string, shown = address): string {
  const text = escapeHtml(shown)
  if (!/^https?:\/\//i.test(address) || !parseUrl(address))
    return `<span class="address">${text}</span>`
  return `<a class="address" href="${escapeHtml(address)}">${text}</a>`
}

/** Returns the CSS rules that give each body class `agency-N` its colour on a light or dark background. */
function agencyRules(ground: 'light' | 'dark'): string {
  return AGENCY_COLORS.map(
    (color, index) => `.agency-${index} { --agency: ${color[ground]} }`,
  ).join(' ')
}

const BAND_RULES = BAND_STRENGTHS.map(
  (strength, band) => `.band-${band}::before { opacity: ${strength} }`,
).join(' ')

/** The style of the web pages. Their Content-Security-Policy allows it by its hash. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1d2329; --quiet: #5b6670; --line: #dde2e6; --link: #0b5cad; --page: #fff; --up: #187a4b; --down: #b3261e }
${agencyRules('light')}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaed; --quiet: #9ba7b1; --line: #343c43; --link: #7db8f5; --page: #15191d; --up: #5cc792; --down: #ff8a80 }
  ${agencyRules('dark')}
}
html { background: var(--page); color: var(--text); font: 1.0625rem/1.6 system-ui, sans-serif; text-size-adjust: 100% }
body { border-top: .5rem solid var(--agency, var(--page)); margin: 0 }
main { margin: 0 auto; max-width: 42rem; overflow-wrap: anywhere; padding: 2rem 1.25rem 5rem }
h1 { font-size: clamp(1.6rem, 7vw, 2.1rem); letter-spacing: -.015em; line-height: 1.15; margin: 0 0 .5rem }
h2 { border-top: 1px solid var(--line); font-size: 1.35rem; line-height: 1.3; margin: 3rem 0 1rem; padding-top: 2rem }
h3 { font-size: 1.0625rem; line-height: 1.4; margin: 1.5rem 0 .25rem }
p { margin: 0 0 .75rem; white-space: pre-line }
a { color: var(--link); text-underline-offset: .15em }
.top { align-items: baseline; display: flex; gap: 1.25rem; justify-content: space-between; margin: 0 0 2.5rem }
.agency { color: var(--agency); font-size: 1.15rem; font-weight: 700; letter-spacing: .01em; line-height: 1.3; margin: 0 }
.description, .texts, .facts, .note, thead, .address, figcaption, .same { color: var(--quiet) }
.description { font-size: 1.0625rem; margin: 0 0 .25rem }
.texts { font-size: .95rem; margin: 0 0 .25rem }
.facts { display: flex; flex-wrap: wrap; font-size: .95rem; gap: .25rem 1.25rem; white-space: normal }
.address { text-decoration: none }
a.address:hover { text-decoration: underline }
.summary { border-inline-start: .25rem solid var(--agency); font-size: 1.2rem; line-height: 1.5; margin: 2rem 0; padding-inline-start: 1rem; white-space: normal }
figure { align-items: center; display: flex; flex-wrap: wrap; gap: .5rem 3rem; margin: 2.5rem 0 }
figcaption { flex: 0 0 100%; font-size: .85rem }
figure svg { flex: none; height: auto; width: min(100%, 26rem) }
figure ul { font-size: .95rem; line-height: 1.9; list-style: none; margin: 0; min-width: 7rem; padding: 0 }
figure li { align-items: center; display: flex; gap: .6rem }
figure li::before { background: var(--agency); content: ""; height: .8rem; print-color-adjust: exact; width: .8rem }
${BAND_RULES}
figure .missing::before { background: none }
figure b { flex: 1; font-variant-numeric: tabular-nums; text-align: end }
table { border-collapse: collapse; margin-top: 2rem; width: 100% }
section ~ table { margin-top: 5rem }
th, td { border-bottom: 1px solid var(--line); font-weight: inherit; padding: .55rem 0; text-align: start; vertical-align: top }
thead { font-size: .85rem }
thead th { border-bottom: 2px solid var(--agency); overflow-wrap: break-word; vertical-align: bottom }
td, thead th:not(:first-child) { font-variant-numeric: tabular-nums; padding-inline-start: 1.25rem; text-align: end }
td { white-space: nowrap }
thead th:first-child { width: 100% }
tbody tr:last-child > * { border-bottom: 0 }
@media (min-width: 40rem) { thead th { white-space: nowrap } }
.up { color: var(--up) }
.down { color: var(--down) }
tbody .address { display: block; font-size: .8rem; line-height: 1.4; margin-top: .15rem }
section, tbody th { scroll-margin-top: 1rem }
@media print {
  @page { margin: 2cm }
  :root { color-scheme: light; --text: #000; --quiet: #555; --line: #ccc; --link: #000; --page: #fff; --up: #187a4b; --down: #b3261e }
  ${agencyRules('light')}
  html { font-size: 10pt }
  main { max-width: none; padding: 1rem 0 0 }
  a { text-decoration: none }
  .top a { display: none }
  h1, h2, h3 { break-after: avoid }
  tr, figure, .summary, section > div > div { break-inside: avoid }
}
`
