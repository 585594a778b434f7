import fc from 'fast-check'
import type { PageBlock, PageKeyword, ReportPage } from '../../src/pages/report-page.ts'

export function aKeyword(changes: Partial<PageKeyword> = {}): PageKeyword {
  const text = 'Everything about bicycles, and about those who ride them to work. '.repeat(5)
  return {
    id: 1,
    keyword: 'bicycle repair',
    url: 'https://cycles.example/repair',
    position: 4,
    content: () => [{ heading: 'Repairs', text }],
    ...changes,
  }
}

export function aPage(changes: Partial<ReportPage> = {}): ReportPage {
  return {
    project: 'Cycles',
    website: 'https://cycles.example',
    reportNumber: 4,
    reportName: 'Monthly report',
    date: '2026-03-10',
    language: 'English',
    textLanguage: 'English',
    pdf: '4-signature.pdf',
    keywords: [aKeyword()],
    ...changes,
  }
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 400 }),
  fc.constantFrom('', ' ', '<b>&amp;"\'', '\\)(', 'x'.repeat(500), 'שלום', '\uD800'),
)

const content: fc.Arbitrary<PageBlock[]> = fc.array(fc.record({ heading: text, text }), {
  maxLength: 4,
})

const keyword: fc.Arbitrary<PageKeyword> = fc.record({
  id: fc.integer({ min: 1 }),
  keyword: text,
  url: fc.option(fc.oneof(text, fc.webUrl())),
  position: fc.option(fc.integer({ min: 1, max: 1000 })),
  content: fc.option(
    content.map((blocks) => () => blocks),
    { nil: undefined },
  ),
})

/** Pages of reports whose texts are hostile. */
export const anyPage: fc.Arbitrary<ReportPage> = fc.record({
  project: text,
  website: fc.option(text),
  reportNumber: fc.integer({ min: 1, max: 26 }),
  reportName: fc.option(text),
  date: fc.option(fc.constantFrom('2026-03-10', '0001-01-01', '9999-12-31')),
  language: fc.option(fc.constantFrom('Danish', 'German', 'Klingon', 'constructor', '')),
  textLanguage: fc.option(fc.constantFrom('Danish', 'Norwegian', 'Klingon', '__proto__')),
  pdf: fc.constant('4-signature.pdf'),
  keywords: fc.array(keyword, { maxLength: 12 }),
})
