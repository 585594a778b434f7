import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { KeywordRecord } from '../../src/contract/keyword.ts'
import { ProjectRecord } from '../../src/contract/project.ts'
import type { H3TextBlock, ReportRecord } from '../../src/contract/report.ts'
import { createSandbox } from '../../src/index.ts'
import type { TextLocale } from '../../src/contract/locales.ts'
import { TEXT_LOCALES } from '../../src/contract/locales.ts'
import { FIRST_PROJECT_ID } from '../../src/records/generated-ids.ts'
import { PhraseIndex } from '../../src/records/generation/phrases.ts'
import { fill, splitSentences } from '../../src/records/generation/templates.ts'
import { loadTextWriter } from '../../src/records/generation/text-writer.ts'
import { INTENTS } from '../../src/records/generation/trades.ts'
import type { Intent } from '../../src/records/generation/trades.ts'
import { loadWords } from '../../src/records/generation/words.ts'
import type { LocaleWords } from '../../src/records/generation/words.ts'
import { runs } from '../support/depth.ts'

/** The reports of a project together: paragraphs dealt without repetition, and facts that agree. */

/** A paragraph as it is written, and the pattern that finds it in a block. */
interface Known {
  template: string
  intent: Intent
  pattern: RegExp
  /** Placeholders of the paragraph, in order. */
  slots: readonly string[]
}

const PLACEHOLDER = /\{(\w+)\}/

function toKnown(template: string, intent: Intent, words: LocaleWords): Known {
  const parts = template.split(PLACEHOLDER)
  const patterns = parts.map((part, index) =>
    index % 2 === 0 ? escapePattern(part) : `(${fillingsOf(part, words)})`,
  )
  return {
    template,
    intent,
    pattern: new RegExp(`^${patterns.join('')}$`, 'u'),
    slots: parts.filter((_, index) => index % 2 === 1),
  }
}

/** A pattern of possible values of a placeholder. */
function fillingsOf(
  name: string,
  { trades, neutral, people, cities, in_city }: LocaleWords,
): string {
  const facts = [...trades, neutral].flatMap((each) => each?.facts ?? [])
  const anyOf = (list: readonly string[]) => [...new Set(list)].map(escapePattern).join('|')
  switch (name) {
    case 'hours':
    case 'opens':
    case 'closes':
      return anyOf(facts.flatMap(({ hours }) => hours.map((each) => each[name])))
    case 'wait':
    case 'team':
      return anyOf(facts.flatMap((each) => each[name]))
    case 'name':
    case 'colleague':
      return anyOf(people.companies)
    case 'city':
      return anyOf(cities)
    case 'place':
      return anyOf(cities.map((city) => fill(in_city, { city })))
    case 'year':
    case 'years':
    case 'price_from':
    case 'price_to':
      return '[\\d.,]*\\d'
    default:
      return '.+?'
  }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function paragraphsOf(words: LocaleWords): Known[] {
  const all = [...words.trades, words.neutral].map((each) => each?.paragraphs)
  return all.flatMap((each) =>
    INTENTS.flatMap((intent) =>
      (each?.[intent] ?? []).map((template) => toKnown(template, intent, words)),
    ),
  )
}

/** There is a full stop in "Praxis Dr. Wolf". */
function sentencesOf(text: string): string[] {
  return splitSentences(text.replaceAll('Dr. ', 'Dr.')).map((part) =>
    part.replaceAll('Dr.', 'Dr. '),
  )
}

/** The values of each placeholder that is a fact of the business. */
function factsIn(blocks: readonly H3TextBlock[], known: readonly Known[]) {
  const facts = new Map<string, Set<string>>()
  const found = blocks.map(({ text }) => {
    const paragraph = known.find(({ pattern }) => pattern.test(text))
    expect(paragraph, text).toBeDefined()
    const [, ...values] = paragraph!.pattern.exec(text)!
    for (const [index, slot] of paragraph!.slots.entries()) {
      if (/^[sS]ervice$/.test(slot)) continue
      facts.set(slot, (facts.get(slot) ?? new Set()).add(values[index]!))
    }
    return paragraph!.template
  })
  return { facts, found }
}

const blocksOf = ({ content }: ReportRecord) =>
  Object.values(content ?? {}) as readonly (readonly H3TextBlock[])[]

const repeated = (list: readonly string[]) =>
  list.filter((item, index) => list.indexOf(item) !== index)

type ReportTexts = readonly [number: number, texts: readonly (readonly H3TextBlock[])[]]

/** Checks the rules for the reports of a project. */
function expectDealt(reports: readonly ReportTexts[], known: readonly Known[]) {
  const all = new Map<string, Set<string>>()
  const dealt = new Map<number, readonly string[]>()
  for (const [number, texts] of reports) {
    expect(texts.length).toBeLessThanOrEqual(7)
    expect(texts.filter((blocks) => blocks.length > 1)).toEqual([])
    const blocks = texts.flat()
    expect(repeated(blocks.flatMap(({ text }) => sentencesOf(text)))).toEqual([])
    expect(repeated(blocks.map(({ h3 }) => h3))).toEqual([])
    const { facts, found } = factsIn(blocks, known)
    expect(repeated(found)).toEqual([])
    const before = [1, 2, 3, 4, 5].flatMap((months) => dealt.get(number - months) ?? [])
    expect(found.filter((template) => before.includes(template))).toEqual([])
    dealt.set(number, found)
    for (const [name, values] of facts) {
      for (const value of values) all.set(name, (all.get(name) ?? new Set()).add(value))
    }
  }
  expect([...all].filter(([, values]) => values.size > 1)).toEqual([])
}

const WRITTEN = await Promise.all(
  TEXT_LOCALES.map(async (locale) => ({ locale, words: await loadWords(locale) })),
)
const WITH_PARAGRAPHS = WRITTEN.filter(({ words }) => words.neutral)

test('English, Danish and German texts are made of paragraphs alone', () => {
  expect(WITH_PARAGRAPHS.map(({ locale }) => locale)).toEqual(['da', 'de', 'en'])
  for (const { words } of WITH_PARAGRAPHS) {
    expect(words.sentences).toBeUndefined()
    expect(words.trades.filter(({ paragraphs, sentences }) => !paragraphs || sentences)).toEqual([])
  }
})

describe.each(WITH_PARAGRAPHS)('in $locale', ({ locale, words }) => {
  const known = paragraphsOf(words)

  test('reports of generated projects have no paragraph, sentence or heading twice, and facts that agree', async () => {
    for (let run = 0; run < runs(20); run += 1) {
      const generate = { projects: 6, keywords: { min: 4, max: 20 }, reports: 5, locale }
      const sandbox = await createSandbox({ seed: `paragraphs ${run}`, generate })
      const { records } = sandbox.world
      for (const { id } of records.all('projects')) {
        const reports = records
          .reportsOf(id)
          .filter(({ status }) => status === 'completed')
          .toSorted((one, other) => one.report_number - other.report_number)
        expectDealt(
          reports.map((report) => [report.report_number, blocksOf(report)]),
          known,
        )
      }
    }
  })

  test('so do those of any project, with any keywords', async () => {
    const phrases = words.trades.flatMap(({ services, keywords }) =>
      keywords.flatMap(({ typed }) =>
        services.map((service) =>
          typed.replace('{service}', service).replace('{city}', words.cities[0]!),
        ),
      ),
    )
    const Phrase = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...phrases) },
      fc.constantFrom('standing desks', 'Ashcombe', 'x', words.cities[1]!),
      fc.string({ minLength: 1, maxLength: 30 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.integer({ min: 1, max: 5000 }),
        fc.uniqueArray(Phrase, { minLength: 1, maxLength: 7 }),
        fc.constantFrom('Ashcombe', 'Bristol Dental Rooms', 'Salon Holm', 'Haustechnik Brandt'),
        async (seed, id, list, name) => {
          const writer = await loadTextWriter(locale, seed)
          const project = aProject(id, name)
          const keywords = list.map((keyword, index) => aKeyword(index + 1, id, keyword))
          const reports = [1, 2, 3, 4, 5, 6, 7].map((report_number): ReportTexts => {
            const date_to_create_texts = `2026-0${report_number}-10`
            const of = {
              report: { id: id * 100 + report_number, report_number, date_to_create_texts },
              project,
              keywords,
              existingTexts: 0,
            }
            return [report_number, [...writer.write(of).values()].map((write) => write())]
          })
          expectDealt(reports, known)
        },
      ),
      { numRuns: runs(1000) },
    )
  })

  test('each text answers its keyword, in a report of more than two', async () => {
    const { sandbox, keywordOf } = await aWorld(locale)
    const { records } = sandbox.world
    const index = new PhraseIndex(words)
    let count = 0
    for (const { id, name } of records.all('projects')) {
      for (const { content } of records.reportsOf(id)) {
        const texts = Object.entries(content ?? {})
        if (texts.length <= 2) continue
        for (const [keyword, blocks] of texts) {
          const { trade, ...topic } = index.read(keywordOf(Number(keyword)), undefined, name)
          const { found } = factsIn(blocks as H3TextBlock[], known)
          const number = trade!.paragraphs![topic.intent].indexOf(found[0]!) + 1
          expect(topic.texts ?? [number]).toContain(number)
          expect(number).toBeGreaterThan(0)
          count += 1
        }
      }
    }
    expect(count).toBeGreaterThan(50)
  })

  test('a company’s name and the word for reviews have the texts of a keyword about the business', () => {
    const index = new PhraseIndex(words)
    const { typed } = words.brand.find(({ intent }) => intent === 'reviews')!
    for (const trade of words.trades) {
      const { texts } = index.read(
        fill(typed, { company: 'Ashcombe' }),
        undefined,
        'Ashcombe',
        trade,
      )
      const ofBusiness = trade.keywords.filter(
        ({ intent, typed: phrase }) => intent === 'reviews' && !phrase.includes('{service}'),
      )
      expect(ofBusiness.map((keyword) => keyword.texts)).toContainEqual(texts)
    }
  })

  test('without an answer among the paragraphs of the month, the text has the intent of the keyword', async () => {
    const writer = await loadTextWriter(locale, 'unanswered')
    const project = aProject(FIRST_PROJECT_ID, 'Ashcombe')
    let count = 0
    for (const trade of words.trades) {
      const narrow = trade.keywords.filter(
        ({ texts, typed }) => texts?.length === 1 && !typed.includes('{'),
      )
      const business = { city: words.cities[0]!, trade: trade.key }
      for (const [index, { typed, intent }] of narrow.entries()) {
        const keyword = aKeyword(index + 1, FIRST_PROJECT_ID, typed)
        for (const month of [1, 2, 3, 4, 5, 6]) {
          const report = { id: month, report_number: 4, date_to_create_texts: `2026-0${month}-10` }
          const all = writer.write({
            report,
            project,
            keywords: [keyword],
            existingTexts: 0,
            business,
          })
          const [template] = factsIn(all.get(keyword)!(), known).found
          const intents = known.filter((each) => each.template === template)
          expect(intents.map((each) => each.intent)).toContain(intent)
          count += 1
        }
      }
    }
    expect(count).toBeGreaterThan(50)
  })

  test('a report that is generated again has the same paragraphs, in another order', async () => {
    const writer = await loadTextWriter(locale, 'again')
    const project = aProject(1, 'Ashcombe')
    const keywords = words.trades[0]!.services.slice(0, 7).map((service, index) =>
      aKeyword(index + 1, 1, service),
    )
    const write = (id: number, date_to_create_texts: string) => {
      const report = { id, report_number: 4, date_to_create_texts }
      // Every paragraph can be filled in.
      const business = { city: words.cities[0]!, trade: words.trades[0]!.key }
      const all = writer.write({ report, project, keywords, existingTexts: 0, business })
      const texts = keywords.flatMap((keyword) => all.get(keyword)!())
      return factsIn(texts, known).found
    }
    const once = write(1, '2026-04-10')
    expect(once).toHaveLength(7)
    expect(write(2, '2026-04-10')).not.toEqual(once)
    expect(write(2, '2026-04-10').toSorted()).toEqual(once.toSorted())
    expect(write(1, '2026-10-10').toSorted()).toEqual(once.toSorted())
    expect(write(1, '2026-05-10').filter((template) => once.includes(template))).toEqual([])
  })

  test('in the demo, hardly a sentence is in an earlier report, or in that of another business', async () => {
    const counts = { all: 0, before: 0, elsewhere: 0 }
    for (let seed = 0; seed < runs(20); seed += 1) {
      const sandbox = await createSandbox({ demo: true, locale, seed, now: '2026-03-15T12:00:00Z' })
      const { records } = sandbox.world
      const newest = records.all('projects').map(({ id }) => {
        const reports = records
          .reportsOf(id)
          .filter(({ status }) => status === 'completed')
          .toSorted((one, other) => other.report_number - one.report_number)
        const sentences = reports.slice(0, 6).map((report) => sentencesIn(report))
        return { month: reports[0]?.date_to_create_texts?.slice(0, 7), sentences }
      })
      for (const [place, { month, sentences }] of newest.entries()) {
        const [own = [], ...before] = sentences
        const others = newest.filter((other, index) => index !== place && other.month === month)
        const elsewhere = new Set(others.flatMap((other) => other.sentences[0] ?? []))
        counts.all += own.length
        counts.before += own.filter((sentence) => before.flat().includes(sentence)).length
        counts.elsewhere += own.filter((sentence) => elsewhere.has(sentence)).length
      }
    }
    expect(counts.before / counts.all).toBeLessThanOrEqual(0.01)
    expect(counts.elsewhere / counts.all).toBeLessThanOrEqual(0.01)
  })

  test('the first heading of each text has its phrase, with the service', async () => {
    const { sandbox, keywordOf } = await aWorld(locale)
    for (const { id } of sandbox.world.records.all('projects')) {
      for (const { content } of sandbox.world.records.reportsOf(id)) {
        for (const [keyword, blocks] of Object.entries(content ?? {})) {
          const phrase = keywordOf(Number(keyword))
          const [{ h3 }] = blocks as [H3TextBlock]
          const service = words.trades
            .flatMap(({ services }) => services)
            .find((name) => ` ${phrase} `.includes(` ${name.toLowerCase()} `))
          expect(h3.toLowerCase()).toContain(service?.toLowerCase() ?? '')
        }
      }
    }
  })
})

const Article = z.object({
  sections: z.array(z.object({ paragraphs: z.array(z.string()) })),
})

/** The sentences of a report, including one whose content is an article. */
function sentencesIn({ content }: ReportRecord): string[] {
  return Object.values(content ?? {}).flatMap((entry) => {
    const blocks = Array.isArray(entry)
      ? entry.map(({ text }: H3TextBlock) => text)
      : Article.parse(entry.content).sections.flatMap(({ paragraphs }) => paragraphs)
    return blocks.flatMap(sentencesOf)
  })
}

async function aWorld(locale: TextLocale) {
  const sandbox = await createSandbox({ seed: 'about', generate: { projects: 8, locale } })
  const { records } = sandbox.world
  return { sandbox, keywordOf: (id: number) => records.get('keywords', id)!.keyword.toLowerCase() }
}

function aKeyword(id: number, project: number, keyword: string): KeywordRecord {
  return KeywordRecord.parse({ id, project, keyword, create_date: '2026-01-05' })
}

function aProject(id: number, name: string): ProjectRecord {
  const created_at = '2026-01-02T08:00:00Z'
  return ProjectRecord.parse({ id, agency: 1, name, status: 'active', created_at })
}
