import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderHtml, STYLE } from '../../src/report-pages/report-html.ts'
import { renderPdf } from '../../src/report-pages/report-pdf.ts'
import { AGENCY_COLORS, colorOf, toBlocks } from '../../src/report-pages/report-page.ts'
import type { PageKeyword } from '../../src/report-pages/report-page.ts'
import { runs } from '../support/depth.ts'
import { aKeyword, aPage, anyPage } from './any-page.ts'

/** Tags of the page of an empty report, and tags that a report may add. */
const TAGS =
  /<\/?(a|b|bdi|body|div|figcaption|figure|h[1-3]|li|p|section|span|table|t[dhr]|tbody|thead|ul|header|main|html|meta|title|style|!doctype)( (class|dir|lang|id|href|scope|charset|name|content)="[^"<>]*")*( html)?>/g

/** Tags of its chart. */
const DRAWN =
  /<\/?(svg|path|rect|text)( (xmlns|viewBox|width|height|role|aria-label|font-size|d|x|y|stroke|fill|fill-opacity|text-anchor)="[^"<>]*")*>/g

describe('a web page', () => {
  test('has no markup but its own, and no address but those of the web, of any report', () => {
    fc.assert(
      fc.property(anyPage, (page) => {
        const html = renderHtml(page)
        expect(html.replace(STYLE, '').replaceAll(TAGS, '').replaceAll(DRAWN, '')).not.toMatch(
          /[<>]/,
        )
        for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
          expect(href).toMatch(/^(https?:\/\/|#keyword-\d+$|4-signature\.pdf$)/i)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test.each([
    ['English', 'en', 'March 2026 · Report 4'],
    ['Danish', 'da', 'marts 2026 · Rapport 4'],
    ['Swedish', 'sv', 'mars 2026 · Rapport 4'],
    ['German', 'de', 'März 2026 · Bericht 4'],
    ['Dutch', 'nl', 'maart 2026 · Rapport 4'],
    ['Norwegian', 'en', 'March 2026 · Report 4'],
    [null, 'en', 'March 2026 · Report 4'],
  ])('of a report in %s has the words of %s', (language, locale, words) => {
    const html = renderHtml(aPage({ language }))
    expect(html).toContain(`<html lang="${locale}">`)
    expect(html).toContain(words)
  })

  test.each([
    ['Danish', 'da'],
    ['Norwegian', 'nb'],
    ['Klingon', ''],
    [null, ''],
  ])('says that texts in %s are in "%s"', (textLanguage, tag) => {
    const html = renderHtml(aPage({ textLanguage }))
    expect(html).toContain(`<div lang="${tag}"><div><h3 dir="auto">Repairs`)
  })

  test('leaves out what a report does not have', () => {
    const bare = { reportName: null, date: null, website: null, keywords: [] }
    const html = renderHtml(aPage(bare))
    expect(html).toContain('<p class="description" dir="auto">Report 4</p>')
    expect(html).toContain('This project has no keywords yet.')
    expect(html).not.toContain('<table>')
    const nobody = renderHtml(aPage({ author: null, months: [], dateBefore: null }))
    expect(nobody).not.toMatch(/Prepared by|<figure>|Since/)
  })

  test.each([
    ['with texts', aKeyword(), true],
    ['without', aKeyword({ content: undefined }), false],
  ])('and its PDF announce the texts of the month: a report %s', (_, keyword, isSaid) => {
    const page = aPage({ keywords: [keyword] })
    for (const document of [renderHtml(page), renderPdf(page)])
      expect(document.includes('Texts written this month for these keywords')).toBe(isSaid)
  })

  test('says who made the report, for whom, of which month, and by whom', () => {
    const html = renderHtml(aPage())
    for (const part of [
      '<p class="agency" dir="auto">Northlight Media</p>',
      '<h1 dir="auto">Cycles</h1>',
      'Monthly report · March 2026 · Report 4',
      'Prepared by <bdi>Ane Holm · Account manager</bdi>',
    ])
      expect(html).toContain(part)
    const unnamed = aPage({ author: { name: 'Ane <b>', role: null } })
    expect(renderHtml(unnamed)).toContain('Prepared by <bdi>Ane &lt;b&gt;</bdi>')
  })

  test.each<[Partial<PageKeyword>, string]>([
    [{ position: 4, before: 7 }, '<td>4<td class="up">+3'],
    [{ position: 7, before: 4 }, '<td>7<td class="down">−3'],
    [{ position: 4, before: 4 }, '<td>4<td class="same">±0'],
    [{ position: 4, before: null }, '<td>4<td class="up">new'],
    [{ position: null, before: 4 }, '<td>–<td class="same">–'],
    [{ position: 4, before: undefined }, '<td>4<td class="same">–'],
  ])('shows a keyword with %j as %s', (positions, cells) => {
    const keywords = [aKeyword(positions), aKeyword({ id: 2 })]
    const html = renderHtml(aPage({ keywords }))
    expect(html).toContain('<th scope="col">Position<th scope="col">Since February\n')
    expect(html).toContain(cells)
  })

  test('shows no changes where there was no report before, or nothing is known of it', () => {
    const first = aPage({ dateBefore: null })
    const unknown = aPage({ keywords: [aKeyword({ before: undefined })] })
    for (const page of [first, unknown])
      expect(renderHtml(page)).toContain('<th scope="col">Position\n')
  })

  test('names the year of the report before where it is another', () => {
    const html = renderHtml(aPage({ dateBefore: '2025-12-01' }))
    expect(html).toContain('<th scope="col">Since December 2025\n')
  })

  test('has keywords without a text at its end, with their positions, and says nothing of a failure', () => {
    const keywords = [aKeyword(), aKeyword({ id: 2, keyword: 'bells', content: undefined })]
    const html = renderHtml(aPage({ keywords }))
    expect(
      html.match(
        /Keywords \(1\)|<section|Other keywords, with no text this month \(1\)|id="keyword-\d/g,
      ),
    ).toEqual([
      'Keywords (1)',
      '<section',
      'id="keyword-1',
      'Other keywords, with no text this month (1)',
      'id="keyword-2',
    ])
    const without = keywords.map((keyword) => ({ ...keyword, content: undefined }))
    const listed = renderHtml(aPage({ keywords: without }))
    expect(listed).toContain('Keywords (2)')
    expect(listed).not.toMatch(/Further|<section/)
  })

  test('shows a page of the website by its path, and any other address whole', () => {
    const addresses = ['https://cycles.example/repair', 'https://cycles.example.evil/repair']
    const keywords = addresses.map((url, index) => aKeyword({ id: index + 1, url }))
    const html = renderHtml(aPage({ keywords }))
    expect(html).toContain(`href="${addresses[0]}">/repair</a>`)
    expect(html).toContain(`href="${addresses[1]}">${addresses[1]}</a>`)
  })
})

describe('the colour of an agency', () => {
  test('differs from those of the eleven before and after it', () => {
    for (let id = 1; id <= 30; id += 1) {
      const next = Array.from({ length: 12 }, (_, index) => colorOf({ id: id + index }))
      expect(new Set(next).size).toBe(12)
    }
    expect(new Set(AGENCY_COLORS.map(({ light }) => light)).size).toBe(12)
  })

  test.each(AGENCY_COLORS)('$light on white, and $dark on dark, is readable', ({ light, dark }) => {
    expect(contrastOf(light, '#ffffff')).toBeGreaterThanOrEqual(6)
    expect(contrastOf(dark, '#15191d')).toBeGreaterThanOrEqual(6)
    expect(STYLE).toContain(light)
    expect(STYLE).toContain(dark)
  })

  test('is that of the page by its class, in each theme and in print', () => {
    expect(renderHtml(aPage({ agency: { id: 15, name: 'North' } }))).toContain(
      '<body class="agency-2">',
    )
    expect(STYLE.match(/\.agency-2 \{ --agency: #\w{6} \}/g)).toHaveLength(3)
  })
})

/** The contrast of two colours (WCAG 2). */
function contrastOf(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [one, other].map(luminanceOf).toSorted((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test.each([
  [{ intro: 'One', outro: 'Two' }, ['intro: One', 'outro: Two']],
  [
    [{ a: 'One' }, { a: 'Two' }],
    ['a: One', 'a: Two'],
  ],
  [{ list: ['One', { deep: 2 }, true] }, ['list: One', 'deep: 2', 'list: true']],
  [{ none: null, empty: '', nothing: [], no: {} }, []],
  [['One'], [': One']],
  [
    { title: 'Bells', sections: [{ heading: 'Repairs', paragraphs: ['One', 'Two'] }] },
    ['Repairs: One\nTwo'],
  ],
])('the blocks of the plain form %j', (content, blocks) => {
  expect(toBlocks(content).map(({ heading, text }) => `${heading}: ${text}`)).toEqual(blocks)
})
