import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/contract/steps.ts'
import { renderHtml } from '../../src/pages/report-html.ts'
import { STYLE } from '../../src/pages/page-style.ts'
import { toBlocks } from '../../src/pages/report-page.ts'
import { runs } from '../support/depth.ts'
import { aPage, anyPage } from './any-page.ts'

/** What the page of an empty report has, and what a report may add to it. */
const TAGS =
  /<\/?(a|div|h[1-3]|p|section|span|table|t[dhr]|tbody|thead|header|main|html|meta|title|style|!doctype)( (class|dir|lang|id|href|scope|charset|name|content)="[^"<>]*")*( html)?>/g

describe('a web page', () => {
  test('has no markup but its own, and no address but those of the web, of any report', () => {
    fc.assert(
      fc.property(anyPage, (page) => {
        const html = runAtOnce(renderHtml(page))
        expect(html.replace(STYLE, '').replaceAll(TAGS, '')).not.toMatch(/[<>]/)
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
    const html = runAtOnce(renderHtml(aPage({ language })))
    expect(html).toContain(`<html lang="${locale}">`)
    expect(html).toContain(words)
  })

  test.each([
    ['Danish', 'da'],
    ['Norwegian', 'nb'],
    ['Klingon', ''],
    [null, ''],
  ])('says that texts in %s are in "%s"', (textLanguage, tag) => {
    const html = runAtOnce(renderHtml(aPage({ textLanguage })))
    expect(html).toContain(`<div lang="${tag}"><div><h3 dir="auto">Repairs`)
  })

  test('leaves out what a report does not have', () => {
    const bare = { reportName: null, date: null, website: null, keywords: [] }
    const html = runAtOnce(renderHtml(aPage(bare)))
    expect(html).toContain('<p class="description" dir="auto">Report 4</p>')
    expect(html).toContain('The project has no keywords.')
    expect(html).not.toContain('<table>')
  })
})

test.each([
  [{ intro: 'One', outro: 'Two' }, ['intro: One', 'outro: Two']],
  [
    [{ a: 'One' }, { a: 'Two' }],
    ['a: One', 'a: Two'],
  ],
  [{ list: ['One', { deep: 2 }, true] }, ['list: One', 'deep: 2', 'list: true']],
  [{ none: null, empty: '', nothing: [], no: {} }, []],
  [['One'], [': One']],
])('the blocks of the plain form %j', (content, blocks) => {
  expect(toBlocks(content).map(({ heading, text }) => `${heading}: ${text}`)).toEqual(blocks)
})
