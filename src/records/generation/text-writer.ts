import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { H3TextBlock, ReportRecord } from '../../contract/report.ts'
import { upperFirst } from '../../contract/text.ts'
import { createPermutation } from '../permutation.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { detailsOf, homeOf } from './details.ts'
import { LANGUAGES } from './languages/index.ts'
import { COUNTRIES, LOCALES, TEXT_LOCALES } from '../../contract/locales.ts'
import type { Locale } from '../../contract/locales.ts'
import { pickParagraphs, hasParagraphs } from './paragraphs.ts'
import type { PickedBlock, Subject } from './paragraphs.ts'
import { PhraseIndex } from './phrases.ts'
import type { Topic } from './phrases.ts'
import { render, canRender, parseTemplates } from './templates.ts'
import type { Values, Template } from './templates.ts'
import type { TradeName } from './trades.ts'
import { loadWords } from './words.ts'
import type { LocaleWords } from './words.ts'

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
   * The text about one of a report's keywords: a pure function of the seed and of what the report is about. Paragraphs are picked
   * out to all keywords of a report at once, and kept until another report is written.
   */
  write: (keyword: KeywordRecord, of: ReportToWrite) => H3TextBlock[]
}

/** Loads the words of a locale, and returns what writes texts with them; the seed is the world's. */
export async function loadTextWriter(locale: Locale, seed: string): Promise<TextWriter> {
  return createTextWriter(await loadWords(locale), seed)
}

/** Picks for one text: its blocks, or undefined if it is composed of sentences. */
interface PickedText extends Subject {
  blocks: readonly PickedBlock[] | undefined
}

export function createTextWriter(words: LocaleWords, seed: string): TextWriter {
  let known: PhraseIndex | undefined
  const index = () => (known ??= new PhraseIndex(words))
  let latest: { of: ReportToWrite; picked: ReadonlyMap<number, PickedText> } | undefined
  return {
    cover: (reportId, keywords, stated) => {
      const intentOf = ({ keyword }: KeywordRecord) => index().read(keyword, undefined, '').intent
      return pickCovered(keywords, MAXIMUM_TEXTS - stated, intentOf, seed, 'covered', reportId)
    },
    write: (keyword, of) => {
      if (latest?.of !== of) latest = { of, picked: pickTexts(of, { words, index: index(), seed }) }
      const picked = latest.picked.get(keyword.id)
      if (!picked) throw new RangeError(`The report has no text about keyword ${keyword.id}.`)
      const { topic, values, blocks } = picked
      const random = createRandom(seed, 'text', of.report.id, keyword.id)
      if (!blocks) return composeText(topic, values, { words, random })
      return blocks.map(({ h3, paragraph }) => ({ h3, text: render(paragraph, values, random) }))
    },
  }
}

function pickTexts(
  { report, project, keywords, stated }: ReportToWrite,
  { words, index, seed }: { words: LocaleWords; index: PhraseIndex; seed: string },
): ReadonlyMap<number, PickedText> {
  const company = project.company_name ?? project.name
  const city = stated?.city ?? homeOf(project, index, words, seed)
  const own = stated && (words.trades.find(({ key }) => key === stated.trade) ?? null)
  const topics = keywords.map(({ keyword }) => index.read(keyword, city, company, own))
  const trade = own ?? topics.find((topic) => topic.trade)?.trade
  const details = detailsOf(project, { words, index, seed, trade, city })
  const subjects = topics.map((topic) => {
    const { phrase, title } = topic
    const hasOwnParagraphs = hasParagraphs(words, topic.trade)
    const service = topic.service ?? (hasOwnParagraphs ? topic.trade?.general : undefined)
    const values: Values = {
      ...details,
      // Paragraphs say where the business is, and sentences also what its keyword names.
      city: hasOwnParagraphs ? details['city'] : (topic.city ?? details['city']),
      service,
      Service: service && upperFirst(service),
      phrase,
      Phrase: title,
    }
    return { topic, values }
  })
  const picked = pickParagraphs(
    subjects.filter(({ topic }) => hasParagraphs(words, topic.trade)),
    { words, seed, project: project.id, report },
  )
  return new Map(
    subjects.map((subject, place) => [
      keywords[place]!.id,
      { ...subject, blocks: picked.get(subject) },
    ]),
  )
}

/**
 * The locale of a language by its label (`Danish`, `English (UK)`), in English or its own name; English for others. With the label of a
 * country that has names of its own, the locale of both.
 */
export function localeOf(language: string | undefined, country?: string): Locale {
  const [name = ''] = (language ?? '')
    .trim()
    .toLowerCase()
    .split(/[^\p{L}]/u)
  const own = TEXT_LOCALES.find((locale) => LANGUAGES[locale].names.includes(name)) ?? 'en'
  const isOfBoth = (locale: Locale) =>
    COUNTRIES[locale].texts === own && COUNTRIES[locale].label === country
  return LOCALES.find(isOfBoth) ?? own
}

const BLOCKS = 2
const CLOSING_SHARE = 0.35
const NONE: readonly string[] = []

/**
 * A text put together of sentences, for trades without paragraphs. The first block begins with the phrase, the other one with
 * what there is to say about its service.
 */
function composeText(
  { intent, trade, service, isListed, title }: Topic,
  values: Values,
  { words, random }: { words: LocaleWords; random: Random },
): H3TextBlock[] {
  const { sentences } = words
  if (!sentences) return [{ h3: title, text: title }]
  const draft = new Draft(values, random)
  const draw = (list: readonly string[]) => draft.draw(list)

  const own = trade?.sentences
  const around = isListed ? NONE : sentences.around
  const facts = service === undefined ? NONE : (own?.services[service] ?? NONE)
  const body = () => draw(facts) ?? draw(own?.any ?? around) ?? draw(sentences.middles)
  const others = service === undefined ? (own?.any ?? around) : NONE
  const aside = () => {
    const share = random.next()
    if (share < 0.35) return draw(others) ?? draw(sentences.advice[intent])
    if (share < 0.6) return draw(sentences.advice[intent])
    if (share < 0.74) return draw(sentences.details)
    return share < 0.88 && !trade?.isMobile ? draw(sentences.premises) : draw(sentences.middles)
  }

  const headings = isListed ? words.headings[intent] : words.around.headings
  const openings = sentences.openings[isListed ? intent : 'around']
  return Array.from({ length: BLOCKS }, (_, number) => {
    draft.startBlock()
    const isFirst = number === 0
    const h3 = isFirst ? draw(headings) : draw(sentences.sections)
    const drawn = [
      isFirst ? draw(openings) : undefined,
      body(),
      isFirst ? draw(sentences.advice[intent]) : aside(),
      !isFirst && random.chance(0.4) ? aside() : undefined,
      random.chance(CLOSING_SHARE) ? draw(sentences.closings) : undefined,
    ]
    return { h3: h3 ?? title, text: drawn.filter(Boolean).join(' ') }
  })
}

/** Draws for one text: no template twice, and none with the phrase once a block has it twice. */
class Draft {
  readonly #values: Values
  readonly #random: Random
  readonly #used = new Set<Template>()
  #mentions = 0

  constructor(values: Values, random: Random) {
    this.#values = values
    this.#random = random
  }

  startBlock(): void {
    this.#mentions = 0
  }

  /** Undefined once a list has no template left that fits. */
  draw(list: readonly string[]): string | undefined {
    const templates = parseTemplates(list)
    const first = templates.length === 0 ? 0 : this.#random.integer(0, templates.length - 1)
    for (let step = 0; step < templates.length; step += 1) {
      const template = templates[(first + step) % templates.length] as Template
      if (this.#used.has(template) || !this.#fits(template)) continue
      this.#used.add(template)
      if (mentionsPhrase(template)) this.#mentions += 1
      return render(template, this.#values, this.#random)
    }
    return undefined
  }

  #fits(template: Template): boolean {
    if (this.#mentions === MAXIMUM_MENTIONS && mentionsPhrase(template)) return false
    return canRender(template, this.#values)
  }
}

const MAXIMUM_MENTIONS = 2

function mentionsPhrase({ needs }: Template): boolean {
  return needs.includes('phrase') || needs.includes('Phrase')
}

/** The most keywords of a report that have texts. */
const MAXIMUM_TEXTS = 8

/**
 * The keywords that a report has texts about, in their order: all of them if there is room, otherwise some that the keys
 * determine, spread evenly over their kinds.
 */
export function pickCovered<Keyword>(
  keywords: readonly Keyword[],
  room: number,
  kindOf: (keyword: Keyword) => string,
  ...keys: (string | number)[]
): readonly Keyword[] {
  if (keywords.length <= room) return keywords
  const permutation = createPermutation(keywords.length, ...keys)
  const counts = new Map<string, number>()
  const ranked = Array.from(keywords, (_, index) => {
    const place = permutation(index)
    const kind = kindOf(keywords[place] as Keyword)
    const rank = counts.get(kind) ?? 0
    counts.set(kind, rank + 1)
    return { place, rank }
  }).toSorted((one, other) => one.rank - other.rank)
  const places = new Set(ranked.slice(0, Math.max(0, room)).map(({ place }) => place))
  return keywords.filter((_, place) => places.has(place))
}
