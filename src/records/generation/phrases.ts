import { memoizeByObject } from '../../contract/cache.ts'
import { upperFirst } from '../../contract/text.ts'
import { fill } from './templates.ts'
import type { KeywordPattern, TradeTexts } from './texts.ts'
import { INTENTS } from './trades.ts'
import type { Intent } from './trades.ts'
import { slugOf } from './slug.ts'
import type { Trade, LocaleWords } from './words.ts'

/** The subject of a keyword, as recognised by its words: intent, trade, service and city. */
export interface Topic {
  intent: Intent
  /** Undefined if no trade is recognised. */
  trade: Trade | undefined
  service: string | undefined
  /** Numbers of the intent's paragraphs that answer the phrase; undefined for all. */
  texts?: readonly number[] | undefined
  /** True if the phrase is in the locale's lists, so that its natural form is known. */
  isListed: boolean
  /** The phrase as part of a sentence: in its natural form or, if it is not listed, in quotation marks. */
  phrase: string
  /** The phrase as the beginning of a heading. */
  title: string
  /** City in the phrase; undefined if there is none. */
  city: string | undefined
}

interface Place {
  /** City in lower case. */
  name: string
  city: string
  /** City with its preposition: `in Leeds`. */
  place: string
}

interface Entry {
  trade: Trade
  service: string | undefined
  pattern: Pick<KeywordPattern, 'intent' | 'natural' | 'texts'>
}

/** Yields each phrase of a trade with its entry. Services are filled in; `{city}` stays. */
function* entriesOf(trade: TradeTexts): Iterable<[typed: string, entry: Omit<Entry, 'trade'>]> {
  for (const pattern of trade.keywords) {
    const { typed, only = trade.services, except = [] } = pattern
    if (typed.includes('{service}')) {
      for (const service of only) {
        if (except.includes(service)) continue
        yield [typed.replace('{service}', service), { service, pattern }]
      }
    } else {
      yield [typed, { service: undefined, pattern }]
    }
  }
}

export interface TypedPhrase {
  phrase: string
  service: string | undefined
}

const typedFor = memoizeByObject((trade: TradeTexts): readonly TypedPhrase[] => {
  const services = new Map<string, string | undefined>()
  for (const [typed, { service }] of entriesOf(trade)) services.set(toLower(typed), service)
  return Array.from(services, ([phrase, service]) => ({ phrase, service }))
})

/** Returns the phrases that people type to find a trade in a city, without repetition. */
export function phrasesOf(trade: TradeTexts, city: string): TypedPhrase[] {
  const place = toLower(city)
  return typedFor(trade).map(({ phrase, service }) => ({
    phrase: fill(phrase, { city: place }),
    service,
  }))
}

/** Returns the phrases that people type to find a company by its name. */
export function brandPhrasesOf(
  { brand }: Pick<LocaleWords, 'brand'>,
  company: string,
  city: string,
): TypedPhrase[] {
  const hasCity = hasWords(toLower(company), toLower(city))
  // Nobody types the city after a name that contains it.
  const own = brand.filter(({ typed }) => !hasCity || !typed.includes('{city}'))
  return own.map(({ typed }) => ({
    phrase: toLower(fill(typed, { company, city })),
    service: undefined,
  }))
}

export function namesCompany(phrase: string, company: string): boolean {
  return hasWords(toLower(phrase), toLower(company))
}

/** The phrases of a locale, to recognise keywords. Listed phrases are found by an index, others by the words that they contain. */
export class PhraseIndex {
  readonly #words: LocaleWords
  readonly #entries = new Map<string, Entry>()
  readonly #services: { name: string; service: string; trade: Trade }[] = []
  readonly #places: readonly Place[]

  constructor(words: LocaleWords) {
    this.#words = words
    this.#places = placesOf(words)
    for (const trade of words.trades) {
      for (const service of trade.services) {
        const name = toLower(service)
        this.#services.push({ name, service, trade })
        this.#entries.set(name, {
          trade,
          service,
          pattern: { intent: 'how_to', natural: '{service}' },
        })
      }
      for (const [typed, entry] of entriesOf(trade)) {
        this.#entries.set(toLower(typed), { trade, ...entry })
      }
    }
    // The longest services come first, so that "winter breaks by the sea" matches before "winter breaks".
    this.#services.sort((one, other) => other.name.length - one.name.length)
  }

  /**
   * Recognises a keyword.
   *
   * @param home The city of the company, which "near me" means; undefined if unknown.
   * @param company The company of the keyword. Its name suggests the trade of a phrase that is in no list.
   * @param companyTrade The trade of the company; null if it has none, undefined if it is unknown.
   */
  read(
    keyword: string,
    home: string | undefined,
    company: string,
    companyTrade?: Trade | null,
  ): Topic {
    const text = keyword.trim().replaceAll(/\s+/g, ' ')
    const lower = toLower(text)
    const place = this.#placeIn(lower, home)
    const entry =
      this.#entries.get(lower) ??
      (place && this.#entries.get(replaceWords(lower, place.name, '{city}')))
    if (entry) return this.#listed(entry, place, home)
    return (
      this.#ofBrand(lower, { home, company, companyTrade }) ??
      this.#unlisted(text, { place, home, company, companyTrade })
    )
  }

  cityOfPhrases(phrases: readonly string[]): string | undefined {
    const places = phrases.map((phrase) => this.#placeIn(toLower(phrase), undefined))
    return places.find((place) => place !== undefined)?.city
  }

  /**
   * Returns the most frequent trade of a company's keywords or, if they have none, the trade that the company's name suggests;
   * undefined if neither is known.
   */
  tradeOf(keywords: readonly string[], company: string): Trade | undefined {
    const counts = new Map<Trade, number>()
    for (const keyword of keywords) {
      const { trade } = this.read(keyword, undefined, '')
      if (trade) counts.set(trade, (counts.get(trade) ?? 0) + 1)
    }
    const most = Math.max(...counts.values())
    const [top] = [...counts].find(([, count]) => count === most) ?? []
    return top ?? this.#tradeIn(company)
  }

  tradeCalled(name: string): Trade | undefined {
    const lower = toLower(name)
    return this.#words.trades.find((trade) => toLower(trade.name) === lower)
  }

  /**
   * Returns the place that a phrase names: the company's home or, if the phrase does not name that, a place in the lists. Undefined
   * if it names none. The home need not be in the lists.
   */
  #placeIn(lower: string, home: string | undefined): Place | undefined {
    if (home !== undefined && hasWords(lower, toLower(home))) {
      return { name: toLower(home), city: home, place: this.#placeOf(home) }
    }
    return this.#places.find(({ name }) => hasWords(lower, name))
  }

  /**
   * Recognises a listed phrase with the name of the company; undefined for any other phrase. Its `texts` are those of the first
   * keyword of the trade that has the same intent and names no service.
   */
  #ofBrand(lower: string, { home, company, companyTrade }: About): Topic | undefined {
    const pattern = this.#words.brand.find(
      ({ typed }) => toLower(fill(typed, { company, city: home })) === lower,
    )
    if (!pattern || company === '') return undefined
    const { intent, natural } = pattern
    const isOfCity = natural.includes('{place}')
    const trade = companyTrade === undefined ? this.#tradeIn(company) : (companyTrade ?? undefined)
    const alike = trade?.keywords.find(
      (each) => each.intent === intent && !each.typed.includes('{service}'),
    )
    return {
      intent,
      trade,
      service: undefined,
      texts: alike?.texts,
      ...toForms(fill(natural, { company, place: this.#placeOf(home) })),
      city: isOfCity ? home : undefined,
    }
  }

  cityIn(name: string): string | undefined {
    return this.#words.cities.find((city) => hasWords(name, city))
  }

  /** Returns the city in the host of a website (`https://jensen-tandlaeger-aarhus.example`); undefined if there is none. */
  cityOfHost(website: string): string | undefined {
    return this.#words.cities.find((city) => hasWords(website, slugOf(city, this.#words)))
  }

  #listed({ trade, service, pattern }: Entry, place: Place | undefined, home: string | undefined) {
    const { intent, natural, texts } = pattern
    const city = place?.city ?? home
    const text = fill(natural, { service, city, place: place?.place ?? this.#placeOf(home) })
    return { intent, trade, service, texts, ...toForms(text), city: place?.city }
  }

  /** Recognises a phrase that is in no list. Its words stay, and its place gets a preposition. */
  #unlisted(text: string, { place, home, company, companyTrade }: About): Topic {
    const { nearby, quotes } = this.#words
    const lower = toLower(text)
    const near = nearby.phrases.find((words) => hasWords(lower, words))
    const where = place?.place ?? (near && this.#placeOf(home))
    const words = [place && toLower(place.place), place?.name, near].filter(
      (item) => item !== undefined,
    )
    const rest = words.reduce((left, item) => replaceWords(left, item, ''), text).trim()
    const natural = rest === '' ? text : [rest, where].filter(Boolean).join(' ')
    const found = this.#services.find(({ name }) => hasWords(lower, name))
    return {
      intent: this.#intentOf(lower, where),
      trade:
        found?.trade ??
        (companyTrade === undefined
          ? (this.#tradeIn(company) ?? this.#tradeIn(text))
          : (companyTrade ?? undefined)),
      service: found?.service,
      isListed: false,
      phrase: quotes.join(natural),
      title: upperFirst(natural),
      city: place?.city,
    }
  }

  #tradeIn(text: string): Trade | undefined {
    const spaced = ` ${toLower(text)} `
    const has = (word: string) => spaced.includes(` ${word}`)
    return this.#words.trades.find((trade) => trade.words.some(has))
  }

  #intentOf(lower: string, where: string | undefined): Intent {
    const { signals } = this.#words
    const told = INTENTS.find(
      (intent) => intent !== 'place' && signals[intent].some((word) => hasWords(lower, word)),
    )
    return told ?? (where === undefined ? 'how_to' : 'place')
  }

  #placeOf(city: string | undefined): string {
    const { in_city, nearby } = this.#words
    return city === undefined ? nearby.place : fill(in_city, { city })
  }
}

interface About {
  place?: Place | undefined
  home: string | undefined
  company: string
  companyTrade: Trade | null | undefined
}

/** Returns the forms of a listed phrase. A word in brackets belongs to sentences, not to headings. */
function toForms(natural: string): Pick<Topic, 'isListed' | 'phrase' | 'title'> {
  return {
    isListed: true,
    phrase: natural.replaceAll(/\[(\p{L}+)\] /gu, '$1 '),
    title: upperFirst(natural.replaceAll(/\[\p{L}+\] /gu, '')),
  }
}

function placesOf({ cities, towns, in_city }: LocaleWords): Place[] {
  const places = [
    ...cities.map((city) => ({ city, place: fill(in_city, { city }) })),
    ...towns.map((place) => ({ city: place.slice(place.search(/\p{Lu}/u)), place })),
  ]
  return places.map(({ city, place }) => ({ name: toLower(city), city, place }))
}

/** Converts a string to lower case. Removes the dot that JavaScript adds above the i of "İstanbul", because nobody types it. */
function toLower(text: string): string {
  return text.toLowerCase().replaceAll('\u0307', '')
}

function hasWords(text: string, words: string): boolean {
  return findWords(text, words) !== -1
}

/** Returns the index at which a string first contains `words` as whole words; -1 if it never does, or if `words` is empty. */
function findWords(text: string, words: string): number {
  if (words === '') return -1
  let start = text.indexOf(words)
  while (start !== -1 && (isLetter(text[start - 1]) || isLetter(text[start + words.length])))
    start = text.indexOf(words, start + 1)
  return start
}

/** Replaces the first occurrence of `words` as whole words in a string, ignoring case. `words` must be in lower case. */
function replaceWords(text: string, words: string, instead: string): string {
  const start = findWords(toLower(text), words)
  if (start === -1) return text
  const [before, after] = [text.slice(0, start), text.slice(start + words.length)]
  return instead ? `${before}${instead}${after}` : `${before.trimEnd()} ${after.trimStart()}`
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\d]/u.test(character)
}
