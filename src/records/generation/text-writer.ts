import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { H3TextBlock, ReportRecord } from '../../contract/report.ts'
import { upperFirst } from '../../contract/text.ts'
import { FIRST_PROJECT_ID } from '../generated-ids.ts'
import { createPermutation } from '../permutation.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { detailsOf, homeOf } from './details.ts'
import { LANGUAGES } from './languages/index.ts'
import { COUNTRIES, LOCALES, TEXT_LOCALES } from '../../contract/locales.ts'
import type { Locale } from '../../contract/locales.ts'
import { answers, deckFor, hasParagraphs, matchParagraphs, pickParagraphs } from './paragraphs.ts'
import type { Paragraph, PickedBlock, Subject } from './paragraphs.ts'
import { PhraseIndex } from './phrases.ts'
import type { Topic } from './phrases.ts'
import { render, canRender, parseTemplates } from './templates.ts'
import type { Values, Template } from './templates.ts'
import type { TradeName } from './trades.ts'
import { loadWords } from './words.ts'
import type { LocaleWords, Trade } from './words.ts'

/** What the texts of a report are about. */
export interface ReportToWrite {
  report: Pick<ReportRecord, 'id' | 'report_number' | 'date_to_create_texts'>
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
  /** Which of the keywords without a stated text the report has texts about, where `count` others have a stated one. */
  cover: (
    keywords: readonly KeywordRecord[],
    of: Omit<ReportToWrite, 'keywords'>,
    count: number,
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

/** What is picked for one text: its block, or undefined if it is composed of sentences. */
interface PickedText extends Subject {
  block: PickedBlock | undefined
}

export function createTextWriter(words: LocaleWords, seed: string): TextWriter {
  let known: PhraseIndex | undefined
  const index = () => (known ??= new PhraseIndex(words))
  let latest: { of: ReportToWrite; picked: ReadonlyMap<number, PickedText> } | undefined
  return {
    cover: (keywords, of, count) => {
      const { report, project } = of
      if (!words.neutral) {
        const intentOf = ({ keyword }: KeywordRecord) => index().read(keyword, undefined, '').intent
        return pickCovered(keywords, MOST_TEXTS - count, intentOf, seed, 'covered', report.id)
      }
      const own = tradeOf(of, words)
      const company = project.company_name ?? project.name
      const topics = new Map(
        keywords.map((keyword) => [
          keyword,
          index().read(keyword.keyword, undefined, company, own),
        ]),
      )
      const trade = own ?? [...topics.values()].find((topic) => topic.trade)?.trade
      const most = MOST_PARAGRAPHS - count
      return coverByDeck(
        shuffle(keywords, seed, 'covered', report.id),
        deckFor(trade, { words, project, report }),
        {
          answers: (keyword, paragraph) => answers(paragraph, topics.get(keyword)!),
          most,
          // Somebody who wrote the keywords by hand expects texts about them all.
          least: project.id < FIRST_PROJECT_ID ? most : LEAST_PARAGRAPHS - count,
        },
      )
    },
    write: (keyword, of) => {
      if (latest?.of !== of) latest = { of, picked: pickTexts(of, { words, index: index(), seed }) }
      const picked = latest.picked.get(keyword.id)
      if (!picked) throw new RangeError(`The report has no text about keyword ${keyword.id}.`)
      const { topic, values, block } = picked
      const random = createRandom(seed, 'text', of.report.id, keyword.id)
      if (!hasParagraphs(words, topic.trade)) return composeText(topic, values, { words, random })
      return block ? [{ h3: block.h3, text: render(block.paragraph, values, random) }] : []
    },
  }
}

/** The trade that a fixture states for a business, null for none; undefined where nothing is stated. */
function tradeOf(
  { stated }: Pick<ReportToWrite, 'stated'>,
  { trades }: LocaleWords,
): Trade | null | undefined {
  return stated && (trades.find(({ key }) => key === stated.trade) ?? null)
}

function pickTexts(
  { report, project, keywords, stated }: ReportToWrite,
  { words, index, seed }: { words: LocaleWords; index: PhraseIndex; seed: string },
): ReadonlyMap<number, PickedText> {
  const company = project.company_name ?? project.name
  const city = stated?.city ?? homeOf(project, index, words, seed)
  const own = tradeOf({ stated }, words)
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
    { words, seed, project, report },
  )
  return new Map(
    subjects.map((subject, place) => [
      keywords[place]!.id,
      { ...subject, block: picked.get(subject) },
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

/** The most keywords of a report that have texts: of one paragraph each, or of sentences. */
const MOST_PARAGRAPHS = 7
const MOST_TEXTS = 8

/** With fewer keywords that its paragraphs answer, a report has texts about others too. */
const LEAST_PARAGRAPHS = 2

/** The keywords that paragraphs of a deck answer, and others up to the least number, in the order of their ids. */
function coverByDeck(
  keywords: readonly KeywordRecord[],
  deck: readonly Paragraph[],
  {
    answers: fits,
    most,
    least,
  }: {
    answers: (keyword: KeywordRecord, paragraph: Paragraph) => boolean
    most: number
    least: number
  },
): readonly KeywordRecord[] {
  const answered = matchParagraphs(keywords, deck, fits)
  const others = keywords.filter((keyword) => !answered.has(keyword))
  const count = Math.max(0, Math.min(most, Math.max(answered.size, least)))
  return [...answered.keys(), ...others].slice(0, count).toSorted((one, other) => one.id - other.id)
}

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
  const counts = new Map<string, number>()
  const ranked = shuffle([...keywords.keys()], ...keys)
    .map((place) => {
      const kind = kindOf(keywords[place] as Keyword)
      const rank = counts.get(kind) ?? 0
      counts.set(kind, rank + 1)
      return { place, rank }
    })
    .toSorted((one, other) => one.rank - other.rank)
  const places = new Set(ranked.slice(0, Math.max(0, room)).map(({ place }) => place))
  return keywords.filter((_, place) => places.has(place))
}

/** A list in another order, the same for the same keys. */
function shuffle<Item>(list: readonly Item[], ...keys: (string | number)[]): Item[] {
  const permutation = createPermutation(list.length, ...keys)
  return list.map((_, index) => list[permutation(index)] as Item)
}
