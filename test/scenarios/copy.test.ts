import { describe, expect, test } from 'vitest'
import type { Copy, Trade } from '../../src/records/generation/copy.ts'
import { DA } from '../../src/records/generation/copy/da.ts'
import { DE } from '../../src/records/generation/copy/de.ts'
import { EN } from '../../src/records/generation/copy/en.ts'
import { NL } from '../../src/records/generation/copy/nl.ts'
import { SV } from '../../src/records/generation/copy/sv.ts'

const LANGUAGES: { language: string; copy: Copy; surname: string }[] = [
  { language: 'Danish', copy: DA, surname: 'Kjeldmose' },
  { language: 'German', copy: DE, surname: 'Brünnlein' },
  { language: 'English', copy: EN, surname: 'Ashcombe' },
  { language: 'Dutch', copy: NL, surname: 'Heuvelrik' },
  { language: 'Swedish', copy: SV, surname: 'Almkvist' },
]

type Filling = { [placeholder: string]: string }

function fill(template: string, filling: Filling): string {
  return template.replaceAll(/\{(\w+)\}/g, (written, name: string) => filling[name] ?? written)
}

/**
 * Every combination of placeholder values that a generated project of the trade can have in the
 * city.
 */
function fillingsOf(trade: Trade, city: string, surname: string): Filling[] {
  return trade.companies.flatMap((pattern) => {
    const company = fill(pattern, { city, surname })
    return trade.services.map((service) => ({ city, company, service }))
  })
}

/** Each list by its name, with its known placeholders. */
function listsOf(copy: Copy): [name: string, items: readonly string[], placeholders: string[]][] {
  const known = ['city', 'company', 'service']
  return [
    ['cities', copy.cities, []],
    ['reportNames', copy.reportNames, []],
    ['roles', copy.roles, []],
    ['headings', copy.headings, known],
    ['openings', copy.openings, known],
    ['middles', copy.middles, known],
    ['closings', copy.closings, known],
    ...copy.trades.flatMap((trade): [string, readonly string[], string[]][] => [
      [`${trade.name}: companies`, trade.companies, ['surname', 'city']],
      [`${trade.name}: services`, trade.services, []],
      [`${trade.name}: keywords`, trade.keywords, ['city', 'service']],
      [`${trade.name}: pages`, trade.pages, []],
      [`${trade.name}: sentences`, trade.sentences, known],
    ]),
  ]
}

describe.each(LANGUAGES)('the texts in $language', ({ language, copy, surname }) => {
  const fillings = copy.trades.flatMap((trade) =>
    copy.cities.flatMap((city) => fillingsOf(trade, city, surname)),
  )
  const filled = (templates: readonly string[]) =>
    new Set(templates.flatMap((template) => fillings.map((filling) => fill(template, filling))))

  const sentences = new Set([
    ...filled([...copy.openings, ...copy.middles, ...copy.closings]),
    ...copy.trades.flatMap((trade) =>
      copy.cities.flatMap((city) => trade.sentences.map((sentence) => fill(sentence, { city }))),
    ),
  ])
  const headings = filled(copy.headings)

  test('are enough for a world', () => {
    expect(copy.language.label).toBe(language)
    expect(copy.cities.length).toBeGreaterThanOrEqual(12)
    expect(copy.roles.length).toBeGreaterThanOrEqual(4)
    expect({
      trades: copy.trades.length,
      reportNames: copy.reportNames.length,
      headings: copy.headings.length,
      openings: copy.openings.length,
      middles: copy.middles.length,
      closings: copy.closings.length,
    }).toEqual({
      trades: 12,
      reportNames: 3,
      headings: 10,
      openings: 10,
      middles: 12,
      closings: 8,
    })
  })

  test('cover the same trades as in English, each of them completely', () => {
    const shapeOf = (trade: Trade) => ({
      name: trade.name,
      companies: trade.companies.length,
      services: trade.services.length,
      keywords: trade.keywords.length,
      pages: trade.pages.length,
      sentences: trade.sentences.length,
    })
    const complete = { companies: 4, services: 8, keywords: 12, pages: 6, sentences: 8 }
    expect(copy.trades.map(shapeOf)).toEqual(EN.trades.map(({ name }) => ({ name, ...complete })))
  })

  test.each(listsOf(copy))(
    '%s: nothing empty, duplicate or unknown',
    (_name, items, placeholders) => {
      expect(items.filter((item) => item === '' || item !== item.trim())).toEqual([])
      expect(new Set(items.map((item) => item.toLowerCase())).size).toBe(items.length)
      const rest = items.map((item) =>
        fill(item, Object.fromEntries(placeholders.map((p) => [p, 'x']))),
      )
      expect(rest.filter((item) => /[{}]| {2}/.test(item))).toEqual([])
    },
  )

  test('make whole sentences of 60 to 180 characters with any values', () => {
    const broken = [...sentences].filter(
      (text) => !/^\p{Lu}.{58,178}[.?]$/u.test(text) || /[{}]| {2}|[.?] \p{Ll}/u.test(text),
    )
    expect(broken).toEqual([])
  })

  test('make one-line headings', () => {
    const broken = [...headings].filter((text) => !/^\p{Lu}[^{}]{9,89}[^.{}]$/u.test(text))
    expect(broken).toEqual([])
  })

  test('contain no domain, email address or phone number', () => {
    const contacts = [...sentences, ...headings].filter((text) => /@|\w\.\w|www|\d{4}/.test(text))
    expect(contacts).toEqual([])
  })

  test.each(copy.trades)('$name: company names start with a capital letter', ({ companies }) => {
    const names = companies.map((pattern) => fill(pattern, { city: copy.cities[0]!, surname }))
    expect(names.filter((name) => !/^\p{Lu}/u.test(name))).toEqual([])
  })

  test.each(copy.trades)('$name: pages are ASCII paths', ({ pages }) => {
    expect(pages.filter((page) => !/^[a-z]+(-[a-z]+)*$/.test(page))).toEqual([])
  })

  test.each(copy.trades)('$name: at least 60 different keywords', ({ keywords, services }) => {
    const city = copy.cities[0]!
    const all = keywords.flatMap((pattern) =>
      pattern.includes('{service}')
        ? services.map((service) => fill(pattern, { city, service }).toLowerCase())
        : [fill(pattern, { city }).toLowerCase()],
    )
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThanOrEqual(60)
  })
})

test('trades have English names that can be part of a domain', () => {
  const names = EN.trades.map(({ name }) => name)
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(12)
})
