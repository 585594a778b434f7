import { upperFirst } from '../../contract/describe.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { H3TextBlock, ReportRecord } from '../../contract/report.ts'
import { MAXIMUM_TEXTS, pickCovered } from './covered-keywords.ts'
import { createRandom } from '../random.ts'
import { detailsOf, homeOf } from './details.ts'
import { LANGUAGES } from './languages/index.ts'
import { LOCALES } from './locales.ts'
import type { Locale } from './locales.ts'
import { dealParagraphs, hasParagraphs } from './paragraphs.ts'
import type { DealtBlock, Subject } from './paragraphs.ts'
import { PhraseIndex } from './phrases.ts'
import { composeText } from './sentences.ts'
import { render } from './templates.ts'
import type { Values } from './templates.ts'
import type { TradeName } from './trades.ts'
import { loadWords } from './words.ts'
import type { Words } from './words.ts'

/** What the texts of a report are about. */
export interface ReportToWrite {
  report: Pick<ReportRecord, 'id' | 'report_number'>
  project: ProjectRecord
  /** All that the report has texts about. */
  keywords: readonly KeywordRecord[]
  stated?: StatedBusiness | undefined
}

/** What a fixture says of a business, where its name and its keywords may say something else. */
export interface StatedBusiness {
  city: string
  trade: TradeName | undefined
}

/** Writes what a completed report says about its keywords. */
export interface TextWriter {
  /** Which of the keywords without a stated text the report has texts about. */
  cover: (
    reportId: number,
    keywords: readonly KeywordRecord[],
    stated: number,
  ) => readonly KeywordRecord[]
  /**
   * The text about one of a report's keywords: a pure function of the seed and of what the report is about. Paragraphs are dealt
   * out to all keywords of a report at once, and kept until another report is written.
   */
  write: (keyword: KeywordRecord, of: ReportToWrite) => H3TextBlock[]
}

/** Loads the words of a locale, and returns what writes texts with them; the seed is the world's. */
export async function loadTextWriter(locale: Locale, seed: string): Promise<TextWriter> {
  return createTextWriter(await loadWords(locale), seed)
}

/** What is dealt to a text: its blocks, or none for one that is put together of sentences. */
interface Dealt extends Subject {
  blocks: readonly DealtBlock[] | undefined
}

export function createTextWriter(words: Words, seed: string): TextWriter {
  let known: PhraseIndex | undefined
  const index = () => (known ??= new PhraseIndex(words))
  let latest: { of: ReportToWrite; dealt: ReadonlyMap<number, Dealt> } | undefined
  return {
    cover: (reportId, keywords, stated) => {
      const intentOf = ({ keyword }: KeywordRecord) => index().read(keyword, undefined, '').intent
      return pickCovered(keywords, MAXIMUM_TEXTS - stated, intentOf, seed, 'covered', reportId)
    },
    write: (keyword, of) => {
      if (latest?.of !== of) latest = { of, dealt: dealTexts(of, { words, index: index(), seed }) }
      const dealt = latest.dealt.get(keyword.id)
      if (!dealt) throw new RangeError(`The report has no text about keyword ${keyword.id}.`)
      const { topic, values, blocks } = dealt
      const random = createRandom(seed, 'text', of.report.id, keyword.id)
      if (!blocks) return composeText(topic, values, { words, random })
      return blocks.map(({ h3, paragraph }) => ({ h3, text: render(paragraph, values, random) }))
    },
  }
}

function dealTexts(
  { report, project, keywords, stated }: ReportToWrite,
  { words, index, seed }: { words: Words; index: PhraseIndex; seed: string },
): ReadonlyMap<number, Dealt> {
  const company = project.company_name ?? project.name
  const city = stated?.city ?? homeOf(project, index, words, seed)
  const own = stated && (words.trades.find(({ key }) => key === stated.trade) ?? null)
  const topics = keywords.map(({ keyword }) => index.read(keyword, city, company, own))
  const trade = own ?? topics.find((topic) => topic.trade)?.trade
  const details = detailsOf(project, { words, index, seed, trade, city })
  const subjects = topics.map((topic) => {
    const { phrase, title } = topic
    const isDealt = hasParagraphs(words, topic.trade)
    const service = topic.service ?? (isDealt ? topic.trade?.general : undefined)
    const values: Values = {
      ...details,
      // Paragraphs say where the business is, and sentences also what its keyword names.
      city: isDealt ? details['city'] : (topic.city ?? details['city']),
      service,
      Service: service && upperFirst(service),
      phrase,
      Phrase: title,
    }
    return { topic, values }
  })
  const dealt = dealParagraphs(
    subjects.filter(({ topic }) => hasParagraphs(words, topic.trade)),
    { words, seed, project: project.id, report },
  )
  return new Map(
    subjects.map((subject, place) => [
      keywords[place]!.id,
      { ...subject, blocks: dealt.get(subject) },
    ]),
  )
}

/** The locale of a language by its label (`Danish`, `English (UK)`), in English or its own name; English for others. */
export function localeOfLanguage(label: string | undefined): Locale {
  const [name = ''] = (label ?? '')
    .trim()
    .toLowerCase()
    .split(/[^\p{L}]/u)
  return LOCALES.find((locale) => LANGUAGES[locale].names.includes(name)) ?? 'en'
}
