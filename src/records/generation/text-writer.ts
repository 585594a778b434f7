import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { H3TextBlock, ReportRecord } from '../../contract/report.ts'
import { upperFirst } from '../../contract/text.ts'
import { isGeneratedProject } from '../generated-ids.ts'
import { permute } from '../permutation.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { detailsOf, homeOf } from './details.ts'
import { LANGUAGES } from './languages/index.ts'
import { COUNTRIES, LOCALES, TEXT_LOCALES } from '../../contract/locales.ts'
import type { Locale } from '../../contract/locales.ts'
import { pickBlocks } from './paragraphs.ts'
import type { Subject } from './paragraphs.ts'
import { PhraseIndex } from './phrases.ts'
import { render, canRender, parseTemplates } from './templates.ts'
import type { Values, Template } from './templates.ts'
import type { TradeName } from './trades.ts'
import { loadWords } from './words.ts'
import type { LocaleWords } from './words.ts'

interface ReportToWrite {
  report: Pick<ReportRecord, 'id' | 'report_number' | 'date_to_create_texts'>
  project: ProjectRecord
  /** Keywords without a text. */
  keywords: readonly KeywordRecord[]
  /** Number of keywords that already have a text. */
  existingTexts: number
  business?: FixtureBusiness | undefined
}

/** Facts about a company that a fixture names. They apply even if its name and its keywords suggest others. */
export interface FixtureBusiness {
  city: string
  /** Undefined for a company whose trade is unknown or `none`. */
  trade: TradeName | undefined
}

export interface TextWriter {
  /**
   * Picks the keywords of a completed report that get texts. Returns a function for each that writes its blocks. The same seed and
   * input always yield the same blocks.
   */
  write: (of: ReportToWrite) => ReadonlyMap<KeywordRecord, () => H3TextBlock[]>
}

export async function loadTextWriter(locale: Locale, seed: string): Promise<TextWriter> {
  return createTextWriter(await loadWords(locale), seed)
}

export function createTextWriter(words: LocaleWords, seed: string): TextWriter {
  let known: PhraseIndex | undefined
  return {
    write: (of) => {
      known ??= new PhraseIndex(words)
      const subjects = toSubjects(of, { words, index: known, seed })
      const randomOf = ({ keyword }: Subject) =>
        createRandom(seed, 'text', of.report.id, keyword.id)
      const { report, project, existingTexts } = of
      if (!words.neutral) {
        const room = MAXIMUM_TEXTS - existingTexts
        const intentOf = ({ topic }: Subject) => topic.intent
        const covered = pickCovered(subjects, room, intentOf, seed, 'covered', report.id)
        return new Map(
          covered.map((subject) => [
            subject.keyword,
            () => composeText(subject, { words, random: randomOf(subject) }),
          ]),
        )
      }
      const most = MAXIMUM_PARAGRAPHS - existingTexts
      // All keywords of a project written by hand get texts, up to the maximum.
      const least = isGeneratedProject(project) ? MINIMUM_PARAGRAPHS - existingTexts : most
      const blocks = pickBlocks(subjects, { most, least }, { words, seed, project, report })
      return new Map(
        [...blocks].map(([subject, { h3, paragraph }]) => [
          subject.keyword,
          () => [{ h3, text: render(paragraph, subject.values, randomOf(subject)) }],
        ]),
      )
    },
  }
}

function toSubjects(
  { project, keywords, business }: ReportToWrite,
  { words, index, seed }: { words: LocaleWords; index: PhraseIndex; seed: string },
): Subject[] {
  const company = project.company_name ?? project.name
  const city = business?.city ?? homeOf(project, index, words, seed)
  const businessTrade = business && (words.trades.find(({ key }) => key === business.trade) ?? null)
  const topics = keywords.map(({ keyword }) => index.read(keyword, city, company, businessTrade))
  const trade = businessTrade ?? topics.find((topic) => topic.trade)?.trade
  const details = detailsOf(project, { words, index, seed, trade, city })
  return topics.map((topic, place) => {
    const { phrase, title } = topic
    const service = topic.service ?? (words.neutral ? topic.trade?.general : undefined)
    const values: Values = {
      ...details,
      // Paragraphs name the city of the business; sentences prefer a city in the keyword.
      city: words.neutral ? details['city'] : (topic.city ?? details['city']),
      service,
      Service: service && upperFirst(service),
      phrase,
      Phrase: title,
    }
    return { keyword: keywords[place]!, topic, values }
  })
}

/**
 * Returns the locale of a language, preferably that for `country`. `language` is a label in English or in the language itself, like
 * `Danish` or `English (UK)`. Any other label, or none, counts as English.
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
 * Composes the blocks of a text from sentences, for locales without paragraphs. The first block begins with an opening sentence,
 * the second with a sentence about the service in the keyword, if there is one.
 */
function composeText(
  { topic: { intent, trade, service, isListed, title }, values }: Subject,
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

/**
 * The headings and sentences drawn for one text. No template is drawn twice, and at most two templates of a block contain the
 * phrase.
 */
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

  /** Draws a template from a list and renders it; undefined if no fitting template is left. */
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

function mentionsPhrase({ placeholders }: Template): boolean {
  return placeholders.includes('phrase') || placeholders.includes('Phrase')
}

/** Maximum number of texts in a report in locales with paragraphs. */
const MAXIMUM_PARAGRAPHS = 7
/** Maximum number of texts in a report in locales without paragraphs. */
const MAXIMUM_TEXTS = 8

/** Minimum number of texts in a report of a generated project, even if no paragraph answers any of its keywords. */
const MINIMUM_PARAGRAPHS = 1

/**
 * Returns the keywords of a report that get texts, in their order: all of them if there is room, otherwise a random selection of
 * `room` keywords that is spread evenly over the kinds. The selection is the same for the same `keys`.
 */
export function pickCovered<Keyword>(
  keywords: readonly Keyword[],
  room: number,
  kindOf: (keyword: Keyword) => string,
  ...keys: (string | number)[]
): readonly Keyword[] {
  if (keywords.length <= room) return keywords
  const counts = new Map<string, number>()
  const ranked = permute([...keywords.keys()], ...keys)
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
