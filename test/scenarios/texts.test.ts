import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { TEXT_LOCALES } from '../../src/contract/locales.ts'
import type { TextLocale } from '../../src/contract/locales.ts'
import { LANGUAGES } from '../../src/records/generation/languages/index.ts'
import { PhraseIndex } from '../../src/records/generation/phrases.ts'
import { detailsOf } from '../../src/records/generation/details.ts'
import { loadTextWriter, localeOf } from '../../src/records/generation/text-writer.ts'
import type { TextWriter } from '../../src/records/generation/text-writer.ts'
import type { TradeName } from '../../src/records/generation/trades.ts'
import { loadWords } from '../../src/records/generation/words.ts'
import { KeywordRecord } from '../../src/contract/keyword.ts'
import type { H3TextBlock } from '../../src/contract/report.ts'
import { ProjectRecord } from '../../src/contract/project.ts'
import { isFullDepth } from '../support/depth.ts'
import { measureTexts, readTexts } from './measure-texts.js'

/** Texts are about their keyword, and a function of the seed, the report and both records. */

const SEED = 'texts'

function aKeyword(keyword: string): KeywordRecord {
  return KeywordRecord.parse({ id: 7, project: 5, keyword, create_date: '2026-01-05' })
}

function aProject(fields: Partial<ProjectRecord> = {}): ProjectRecord {
  const created_at = '2026-01-02T08:00:00Z'
  const required = { id: 5, agency: 1, name: 'Ashcombe', status: 'active', created_at }
  return ProjectRecord.parse({ ...required, ...fields })
}

/** The text about a keyword that is the only one of a report. */
function writeOne(writer: TextWriter, keyword: KeywordRecord, project = aProject(), id = 100) {
  const report = { id, report_number: id, date_to_create_texts: null }
  const of = { report, project, keywords: [keyword], existingTexts: 0 }
  return writer.write(of).get(keyword)!()
}

async function write(locale: (typeof TEXT_LOCALES)[number], phrase: string, project = aProject()) {
  return writeOne(await loadTextWriter(locale, SEED), aKeyword(phrase), project)
}

const wholeOf = (blocks: readonly { h3: string; text: string }[]) =>
  blocks.map(({ h3, text }) => `${h3}\n${text}`).join('\n')

describe('over a sample of projects', () => {
  test.each(TEXT_LOCALES)(
    'in %s the texts are about their keywords, varied and well formed',
    async (locale) => {
      const projects = isFullDepth ? 100 : 12
      const generate = { projects, locale, reports: 6, keywords: 12 }
      const sandbox = await createSandbox({ generate, seed: SEED, rateLimit: 'unlimited' })
      const words = await loadWords(locale)
      const index = new PhraseIndex(words)
      const texts = await readTexts(sandbox, (project, phrase) => {
        const { trade } = index.read(phrase, undefined, project.name)
        return detailsOf(project, { words, index, seed: SEED, trade })
      })
      const measures = measureTexts(texts, words)
      expect(measures.texts).toBeGreaterThan(30)
      expect(measures.about).toBeGreaterThanOrEqual(0.98)
      expect(measures.phrase).toBeGreaterThanOrEqual(0.7)
      expect(measures.repeated).toBeLessThan(isFullDepth ? 0.03 : 0.05)
      expect(measures.named).toBeLessThanOrEqual(0.4)
      expect(measures).toMatchObject({ blocksWithPhrase: 0, malformed: 0, foreign: 0 })
      if (words.neutral) expect(measures).toMatchObject({ twice: 0, strange: 0 })
    },
  )
})

describe('a text is a function of the seed, the report and the records', () => {
  test('whoever writes it, and in whatever order', async () => {
    const [one, other] = [await loadTextWriter('en', SEED), await loadTextWriter('en', SEED)]
    const phrases = ['dental implants leeds', 'boiler installation cost', 'standing desks leeds']
    const read = (writer: typeof one, list: string[]) =>
      new Map(list.map((phrase) => [phrase, writeOne(writer, aKeyword(phrase))]))
    expect(Object.fromEntries(read(one, phrases))).toEqual(
      Object.fromEntries(read(other, phrases.toReversed())),
    )
  })

  test('and differs with each of them', async () => {
    const writer = await loadTextWriter('en', SEED)
    const other = await loadTextWriter('en', 'another seed')
    const keyword = aKeyword('dental implants leeds')
    const text = writeOne(writer, keyword, aProject(), 1)
    expect(writeOne(writer, keyword, aProject(), 3)).not.toEqual(text)
    expect(writeOne(writer, keyword, aProject({ id: 6 }), 1)).not.toEqual(text)
    expect(writeOne(other, keyword, aProject(), 1)).not.toEqual(text)
  })

  test('the same for a generated project as for one that is written with its records', async () => {
    const sandbox = await createSandbox({ generate: { projects: 3 }, seed: SEED })
    const [project] = sandbox.world.records.all('projects')
    const report = sandbox.world.records
      .reportsOf(project!.id)
      .find(({ status }) => status === 'completed')
    const writer = await loadTextWriter('en', SEED)
    const keywords = Object.keys(report!.content!).map((id) =>
      sandbox.world.records.get('keywords', Number(id))!,
    )
    const texts = writer.write({
      report: report!,
      project: structuredClone(project!),
      keywords,
      existingTexts: 0,
    })
    for (const keyword of keywords) {
      expect(texts.get(keyword)!()).toEqual(report!.content![keyword.id])
    }
  })
})

/** The texts about a phrase in twelve reports. */
async function writeMany(locale: TextLocale, phrase: string): Promise<H3TextBlock[][]> {
  const writer = await loadTextWriter(locale, SEED)
  return Array.from({ length: 12 }, (_, number) =>
    writeOne(writer, aKeyword(phrase), aProject(), number + 1),
  )
}

describe('a phrase', () => {
  test.each([
    ['en', 'dental implants near me', 'Bristol Dental Rooms', 'ental implants in Bristol'],
    ['en', 'boiler installation cost', 'Ashcombe', 'he cost of boiler installation'],
    ['en', 'Best Dentist  Leeds', 'Bristol Dental Rooms', 'est dentist in Leeds'],
    ['da', 'tandblegning tæt på mig', 'Aarhus Tandlægehus', 'andblegning i Aarhus'],
    ['de', 'zahnbrücke kosten', 'Praxis Brünn', 'osten für eine Zahnbrücke'],
    ['nl', 'warmtepompen in de buurt', 'Sanitair Utrecht', 'armtepompen in Utrecht'],
    ['sv', 'golvvärme omdömen', 'Rörfirman', 'mdömen om golvvärme'],
  ] as const)('in %s, "%s" for %s reads "%s"', async (locale, phrase, name, natural) => {
    const [first] = await write(locale, phrase, aProject({ name }))
    expect(`${first!.h3} ${first!.text}`).toContain(natural)
  })

  test.each([
    ['en', 'standing desks', 'Standing desks'],
    ['en', 'standing desks leeds', 'Standing desks in Leeds'],
    ['en', 'yorkshire terriers york', 'Yorkshire terriers in York'],
    ['da', 'fiskerestaurant skagen', 'Fiskerestaurant i Skagen'],
    ['da', 'elcykel service fyn', 'Elcykel service på Fyn'],
    ['de', 'Bürostühle Bremen', 'Bürostühle in Bremen'],
    ['en', '<b>26" & more</b>', '<b>26" & more</b>'],
  ] as const)('in %s, "%s" in no list is in a heading as it is', async (locale, phrase, title) => {
    for (const [first] of await writeMany(locale, phrase)) expect(first!.h3).toContain(title)
  })

  test('in sv, one in no list is in a heading as it is, or in a sentence in quotation marks', async () => {
    const reports = await writeMany('sv', 'surdegsbröd malmö')
    const inHeading = reports.filter(([first]) => first!.h3.includes('Surdegsbröd i Malmö'))
    const inSentence = reports.filter((blocks) => wholeOf(blocks).includes('”surdegsbröd i Malmö”'))
    expect(inHeading.length).toBeGreaterThan(0)
    expect(inSentence.length).toBeGreaterThan(0)
    expect(new Set([...inHeading, ...inSentence]).size).toBe(reports.length)
  })

  test('of one word, of none of ours or of blanks has a text', async () => {
    for (const phrase of ['leeds', 'near me', 'dentist', ' ', '{city}', '(a|b)', 'İİİ leeds']) {
      const blocks = await write('en', phrase)
      expect(blocks.length).toBeGreaterThan(0)
      expect(blocks.every(({ h3, text }) => h3 !== '' && text !== '')).toBe(true)
    }
  })
})

test('a written project whose city nobody states is in none', async () => {
  const { cities } = await loadWords('en')
  for (const phrase of ['dental implants near me', 'boiler installation cost', 'sunday lunch']) {
    const whole = wholeOf(await write('en', phrase))
    const words = whole.split(/[^\p{L}]+/u)
    expect(cities.filter((city) => words.includes(city))).toEqual([])
  }
})

test.each([
  ['Danish', 'da'],
  ['Dansk', 'da'],
  ['Deutsch', 'de'],
  ['German (Austria)', 'de'],
  ['Nederlands', 'nl'],
  ['Svenska', 'sv'],
  ['English', 'en'],
  ['Norwegian', 'en'],
  ['constructor', 'en'],
  ['', 'en'],
  [undefined, 'en'],
] as const)('a project in %s has texts in %s', (label, locale) => {
  expect(localeOf(label)).toBe(locale)
})

test.each([
  ['English', 'Poland', 'pl'],
  ['German', 'Switzerland', 'de_CH'],
  ['Danish', 'Denmark', 'da'],
  ['English', 'Germany', 'en'],
  ['Danish', 'Poland', 'da'],
] as const)(
  'a project in %s and %s has texts with the names of %s',
  (language, country, locale) => {
    expect(localeOf(language, country)).toBe(locale)
  },
)

test.each(['dæk 26"', 'legetøj til børnehaver'])(
  'of a phrase in no list, "%s", a block has it at most twice',
  async (phrase) => {
    const writer = await loadTextWriter('da', SEED)
    for (let report = 1; report <= 60; report += 1) {
      for (const { h3, text } of writeOne(writer, aKeyword(phrase), aProject(), report)) {
        const mentions = `${h3} ${text}`.toLowerCase().split(phrase).length - 1
        expect(mentions).toBeLessThanOrEqual(2)
      }
    }
  },
)

test('a phrase in no list is read by the trade of its company', async () => {
  const project = aProject({ name: 'Kædeskov Cykler' })
  const bicycles = wholeOf(await write('da', 'gear & bremser', project))
  const { trades } = await LANGUAGES.da.loadTexts()
  const beginningsOf = (name: TradeName) =>
    Object.values(trades[name].paragraphs!)
      .flat()
      .map((paragraph) => paragraph.split(/[{.]/)[0]!)
      .filter(({ length }) => length > 15)
  expect(beginningsOf('bicycle-shop').some((words) => bicycles.includes(words))).toBe(true)
  expect(beginningsOf('restaurant').some((words) => bicycles.includes(words))).toBe(false)
})

test.each(TEXT_LOCALES)(
  'streets in %s are written in full, so that sentences can begin and end with them',
  async (locale) => {
    const words = await loadWords(locale)
    const index = new PhraseIndex(words)
    const streets = Array.from({ length: 200 }, (_, id) => {
      const sources = { words, index, seed: SEED, trade: undefined }
      return detailsOf(aProject({ id: id + 1 }), sources)['street'] ?? ''
    })
    expect(streets.filter((street) => !/^[\p{Lu}\d]/u.test(street))).toEqual([])
    expect(streets.filter((street) => /str\.|[sx]s gata/i.test(street))).toEqual([])
  },
)
