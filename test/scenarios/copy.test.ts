import { describe, expect, test } from 'vitest'
import type { Copy, Trade } from '../../src/records/generation/copy.ts'
import { INTENTS } from '../../src/records/generation/copy.ts'
import { DA } from '../../src/records/generation/copy/da.ts'
import { DE } from '../../src/records/generation/copy/de.ts'
import { EN } from '../../src/records/generation/copy/en.ts'
import { NL } from '../../src/records/generation/copy/nl.ts'
import { SV } from '../../src/records/generation/copy/sv.ts'
import { phrasesOf } from '../../src/records/generation/phrases.ts'
import { fill } from '../../src/records/generation/templates.ts'

/** The copy that texts are written with: complete, and well formed in every combination of its alternatives. */

const LANGUAGES = [
  { language: 'Danish', copy: DA },
  { language: 'German', copy: DE },
  { language: 'English', copy: EN },
  { language: 'Dutch', copy: NL },
  { language: 'Swedish', copy: SV },
]

const DETAILS = {
  company: 'Kjeldmose & Co',
  city: 'Bramsted',
  street: 'Kirkevej 12',
  year: '1987',
  hours: 'from nine to five',
  name: 'Gerda',
  colleague: 'Ivar',
}
const TOPIC = {
  service: 'kites',
  Service: 'Kites',
  phrase: 'kites in Bramsted',
  Phrase: 'Kites in Bramsted',
}

const ALTERNATIVES = /\(([^()]*\|[^()]*)\)/

/** Every text that a template stands for. */
function expand(template: string): string[] {
  const list = ALTERNATIVES.exec(template)?.[1]
  if (list === undefined) return [template]
  return list
    .split('|')
    .flatMap((alternative) => expand(template.replace(ALTERNATIVES, () => alternative)))
}

function valuesOf(lists: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.values(lists).flat()
}

const headingsOf = ({ headings, sections, around }: Copy) => [
  ...valuesOf(headings),
  ...sections,
  ...around.headings,
]

const sentencesOf = ({ trades, openings, advice, details, middles, closings, around }: Copy) => [
  ...trades.flatMap(({ sentences, services }) => [...sentences, ...valuesOf(services)]),
  ...valuesOf(openings),
  ...valuesOf(advice),
  ...details,
  ...middles,
  ...closings,
  ...around.openings,
  ...around.sentences,
]

describe.each(LANGUAGES)('the copy in $language', ({ language, copy }) => {
  test('is enough for a world', () => {
    expect(copy.language.label).toBe(language)
    expect(copy.reportNames).toHaveLength(3)
    expect(copy.cities.length).toBeGreaterThanOrEqual(12)
    expect(copy.streets?.length ?? Infinity).toBeGreaterThanOrEqual(40)
    expect(copy.roles.length).toBeGreaterThanOrEqual(4)
    for (const intent of INTENTS) {
      expect(copy.headings[intent].length).toBeGreaterThanOrEqual(3)
      expect(copy.openings[intent].length).toBeGreaterThanOrEqual(7)
      expect(copy.advice[intent].length).toBeGreaterThanOrEqual(8)
    }
  })

  test('has the same trades as in English, each of them complete', () => {
    const shapeOf = (trade: Trade) => ({
      name: trade.name,
      companies: trade.companies.length,
      keywords: trade.keywords.length,
      pages: trade.pages.length,
      sentences: trade.sentences.length,
      services: Object.values(trade.services).map((facts) => facts.length),
    })
    const services = Array.from({ length: 8 }, () => 3)
    const complete = { companies: 4, keywords: 12, pages: 6, sentences: 8, services }
    expect(copy.trades.map(shapeOf)).toEqual(EN.trades.map(({ name }) => ({ name, ...complete })))
  })

  test('names no service, no sentence and no heading twice', () => {
    const services = copy.trades.flatMap((trade) => Object.keys(trade.services))
    for (const list of [services, sentencesOf(copy), headingsOf(copy)]) {
      expect(list.filter((item, index) => list.indexOf(item) !== index)).toEqual([])
    }
  })

  test('makes whole sentences with all of its alternatives', () => {
    const broken = sentencesOf(copy)
      .flatMap(expand)
      .map((sentence) => fill(sentence, { ...DETAILS, ...TOPIC }))
      .filter((text) => !/^[\p{Lu}\d].{35,250}[.?]$/u.test(text) || isMalformed(text))
    expect(broken).toEqual([])
  })

  test('makes headings of one line with all of its alternatives', () => {
    const broken = headingsOf(copy)
      .flatMap(expand)
      .map((heading) => fill(heading, TOPIC))
      .filter((text) => !/^\p{Lu}.{4,88}[^.]$/u.test(text) || isMalformed(text))
    expect(broken).toEqual([])
  })

  test('contains no address, and no number of a telephone', () => {
    const texts = [...sentencesOf(copy), ...headingsOf(copy)]
    expect(texts.filter((text) => /@|\w\.\w{2}|www|\d{4}/.test(text))).toEqual([])
  })

  test('names the phrase in a block at most twice, and in each heading of the first block', () => {
    const first = [...valuesOf(copy.headings), ...copy.around.headings]
    expect(first.filter((heading) => !/\{[Pp]hrase\}/.test(heading))).toEqual([])
    const others = [
      ...copy.sections,
      ...valuesOf(copy.advice),
      ...copy.details,
      ...copy.premises,
      ...copy.middles,
      ...copy.closings,
    ]
    expect(others.filter((text) => /phrase/i.test(text))).toEqual([])
    const twice = sentencesOf(copy).filter((text) => text.split(/\{phrase\}/i).length > 2)
    expect(
      twice.filter((text) => expand(text).some((one) => one.split('{phrase}').length > 2)),
    ).toEqual([])
  })

  describe.each(copy.trades)('$name', ({ companies, keywords, pages, services, words }) => {
    test('has a natural form that keeps every word of what is typed', () => {
      const lost = keywords.filter(([typed, , natural]) => {
        const near = copy.nearby.phrases.find((phrase) => typed.includes(phrase)) ?? '{city}'
        const city = natural.includes('{city}') ? '{city}' : '{place}'
        const wanted = typed.replace(near, city).split(' ')
        return wanted.some((word) => !natural.toLowerCase().includes(word))
      })
      expect(lost).toEqual([])
    })

    test('has phrases in which no word follows itself, also in their natural form', () => {
      const doubled: string[] = []
      for (const [typed, , natural, exceptions] of keywords) {
        for (const service of Object.keys(services)) {
          if (exceptions?.includes(service)) continue
          const phrases = [fill(typed, { service }), fill(natural, { service })]
          doubled.push(
            ...phrases.filter((phrase) => /(?<!\p{L})(\p{L}+) \1(?!\p{L})/iu.test(phrase)),
          )
        }
      }
      expect(doubled).toEqual([])
    })

    test('has at least 60 phrases, and exceptions that are services', () => {
      const names = Object.keys(services)
      const city = copy.cities[0]!
      const phrases = phrasesOf({ keywords, services } as unknown as Trade, city)
      expect(phrases.length).toBeGreaterThanOrEqual(60)
      expect(phrases.filter((phrase) => /[{}[\]]| {2}/.test(phrase))).toEqual([])
      const unknown = keywords.flatMap(([, , , exceptions = []]) => exceptions)
      expect(unknown.filter((service) => !names.includes(service))).toEqual([])
    })

    test('has names with capitals, pages that are paths and words to recognise', () => {
      const named = companies.map((name) => fill(name, { city: 'Bramsted', surname: 'Kjeld' }))
      expect(named.filter((name) => !/^\p{Lu}[^{}]+$/u.test(name))).toEqual([])
      expect(pages.filter((page) => !/^[a-z]+(-[a-z]+)*$/.test(page))).toEqual([])
      expect(words.filter((word) => word !== word.toLowerCase())).toEqual([])
    })
  })
})

function isMalformed(text: string): boolean {
  return /[{}[\]()|]| {2}|\s[,.?:]|,,|[.?] \p{Ll}/u.test(text)
}

test('trades have English names that can be part of a domain', () => {
  const names = EN.trades.map(({ name }) => name)
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(12)
})
