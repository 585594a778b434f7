import fc from 'fast-check'
import type { PageBlock, PageKeyword, ReportPage } from '../../src/report-pages/report-page.ts'

export function aKeyword(changes: Partial<PageKeyword> = {}): PageKeyword {
  const text = 'Everything about bicycles, and about those who ride them to work. '.repeat(5)
  return {
    id: 1,
    keyword: 'bicycle repair',
    url: 'https://cycles.example/repair',
    position: 4,
    before: 7,
    content: () => [{ heading: 'Repairs', text }],
    ...changes,
  }
}

export function aPage(changes: Partial<ReportPage> = {}): ReportPage {
  return {
    agency: { id: 1, name: 'Northlight Media' },
    author: { name: 'Ane Holm', role: 'Account manager' },
    project: 'Cycles',
    website: 'https://cycles.example',
    reportNumber: 4,
    reportName: 'Monthly report',
    date: '2026-03-10',
    language: 'English',
    textLanguage: 'English',
    pdf: '4-signature.pdf',
    dateBefore: '2026-02-01',
    keywords: [aKeyword()],
    months: [
      { date: '2026-02-01', counts: [0, 1, 0, 0] },
      { date: '2026-03-01', counts: [0, 1, 0, 0] },
    ],
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

const position = fc.constantFrom(null, undefined, 1, 2, 10, 11, 100, 1000)

const keyword: fc.Arbitrary<PageKeyword> = fc.record({
  id: fc.integer({ min: 1 }),
  keyword: text,
  url: fc.option(fc.oneof(text, fc.webUrl())),
  position,
  before: position,
  content: fc.option(
    content.map((blocks) => () => blocks),
    { nil: undefined },
  ),
})

/** Pages of reports whose texts are hostile. */
export const anyPage: fc.Arbitrary<ReportPage> = fc.record({
  agency: fc.record({ id: fc.integer({ min: 1 }), name: text }),
  author: fc.option(fc.record({ name: text, role: fc.option(text) })),
  project: text,
  website: fc.option(text),
  reportNumber: fc.integer({ min: 1, max: 26 }),
  reportName: fc.option(text),
  date: fc.option(fc.constantFrom('2026-03-10', '0001-01-01', '9999-12-31')),
  language: fc.option(fc.constantFrom('Danish', 'German', 'Klingon', 'constructor', '')),
  textLanguage: fc.option(fc.constantFrom('Danish', 'Norwegian', 'Klingon', '__proto__')),
  pdf: fc.constant('4-signature.pdf'),
  dateBefore: fc.option(fc.constantFrom('2026-02-10', '0001-01-01', '9999-11-30')),
  keywords: fc.array(keyword, { maxLength: 12 }),
  months: fc.array(
    fc.record({
      date: fc.constantFrom('2026-02-01', '0001-01-01', '9999-12-01'),
      counts: fc.array(fc.nat({ max: 500 }), { minLength: 4, maxLength: 4 }),
    }),
    { maxLength: 12 },
  ),
})
