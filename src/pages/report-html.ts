import { escapeHtml } from '../contract/escape-html.ts'
import type { Steps } from '../contract/steps.ts'
import { describeReport, labelsOf, languageTag } from './page-labels.ts'
import type { PageLabels } from './page-labels.ts'
import { STYLE } from './page-style.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'

/** The web page of a report, a step for each keyword. */
export function* renderHtml(page: ReportPage): Steps<string> {
  const labels = labelsOf(page.language)
  const description = describeReport(page, labels)
  const parts = [
    openDocument(`${page.project} · ${description}`, labels.locale),
    `<header><p class="description" dir="auto">${escapeHtml(description)}</p>`,
    `<h1 dir="auto">${escapeHtml(page.project)}</h1>`,
    `<p class="links">${[page.website === null ? '' : toLink(page.website), `<a href="${escapeHtml(page.pdf)}">PDF</a>`].join(' ')}</p></header>\n`,
    renderPositions(page, labels),
  ]
  const lang = languageTag(page.textLanguage)
  for (const keyword of page.keywords) {
    parts.push(renderKeyword(keyword, { labels, lang }))
    yield
  }
  parts.push('</main>\n</html>\n')
  return parts.join('')
}

/** A page that says one sentence. */
export function renderSentence(title: string, sentence: string): string {
  return `${openDocument(title, 'en')}<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(sentence)}</p>\n</main>\n</html>\n`
}

function openDocument(title: string, lang: string): string {
  return `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<main>
`
}

function renderPositions({ keywords }: ReportPage, labels: PageLabels): string {
  if (keywords.length === 0) return `<p class="note">${escapeHtml(labels.no_keywords)}</p>\n`
  const rows = keywords.map(({ id, keyword, url, position }) => {
    const place = position === null ? '–' : String(position)
    const target = url === null ? '' : toLink(url)
    return `<tr><th scope="row" dir="auto"><a href="#keyword-${id}">${escapeHtml(keyword)}</a>${target}<td>${place}\n`
  })
  return `<table><thead><tr><th scope="col">${escapeHtml(labels.keywords)} (${keywords.length})<th scope="col">${escapeHtml(labels.position)}
<tbody>${rows.join('')}</table>\n`
}

function renderKeyword(
  { id, keyword, content }: PageKeyword,
  { labels, lang }: { labels: PageLabels; lang: string },
): string {
  const heading = `<section id="keyword-${id}"><h2 dir="auto">${escapeHtml(keyword)}</h2>\n`
  if (!content) return `${heading}<p class="note">${escapeHtml(labels.no_content)}</p></section>\n`
  const blocks = content().map(({ heading: h3, text }) => {
    const above = h3 === '' ? '' : `<h3 dir="auto">${escapeHtml(h3)}</h3>`
    return `<div>${above}<p dir="auto">${escapeHtml(text)}</p></div>\n`
  })
  return `${heading}<div lang="${lang}">${blocks.join('')}</div></section>\n`
}

/** An address, as a link where it is one of the web. */
function toLink(address: string): string {
  const text = escapeHtml(address)
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    return `<span class="address">${text}</span>`
  return `<a class="address" href="${text}">${text}</a>`
}
