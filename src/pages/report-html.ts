import { escapeHtml } from '../contract/escape-html.ts'
import { parseUrl } from '../contract/parse-url.ts'
import { drawStandings } from '../drawing/standings.ts'
import { colorOf } from './agency-color.ts'
import {
  describeAuthor,
  describeChange,
  describeReport,
  labelsOf,
  languageTag,
  showAddress,
  showChange,
  showPosition,
  toStandings,
  toTables,
} from './page-labels.ts'
import type { KeywordTable, PageLabels } from './page-labels.ts'
import { STYLE } from './page-style.ts'
import { BANDS, countMissing } from './position-bands.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'
import type { Sentence } from './sentence.ts'
import { summarize } from './summarize.ts'

/** The web page of a report. */
export function renderHtml(page: ReportPage): string {
  const labels = labelsOf(page.language)
  const title = `${page.project} · ${describeReport(page, labels)}`
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

/** A page that says one sentence. */
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
<p class="description" dir="auto">${escapeHtml(describeReport(page, labels))}</p>
<p class="facts">${facts.join(' ')}</p></header>
`
}

/** A sentence as HTML: the direction of its names does not affect the text around them. */
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
    const { text: by, way = 'same' } = showChange(keyword, labels)
    const changed = change === undefined ? '' : `<td class="${way}">${escapeHtml(by)}`
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

/** An address, as a link if it is one of the web. */
function toLink(address: string, shown = address): string {
  const text = escapeHtml(shown)
  if (!/^https?:\/\//i.test(address) || !parseUrl(address))
    return `<span class="address">${text}</span>`
  return `<a class="address" href="${escapeHtml(address)}">${text}</a>`
}
