import { MAXIMUM_PROJECTS } from '../../contract/limits.ts'
import { FIRST_PROJECT_ID } from '../generated-ids.ts'
import { permute } from '../permutation.ts'
import { createRandom } from '../random.ts'
import { NO_TRADE } from './fixture-companies.ts'
import type { Generate } from './generate.ts'
import type { FixtureCompany } from './fixture-companies.ts'
import { PhraseIndex } from './phrases.ts'
import { placeCompanies } from './showcase.ts'
import type { TypedPhrase } from './phrases.ts'
import { flat, hostOfAgency, hostsOfCompany, slugOf, withoutWww, toSlug } from './slug.ts'
import type { Trade, LocaleWords } from './words.ts'

/** The business of a project. */
export interface Company {
  /** Index of the company's locale among the locales of the world. */
  market: number
  words: LocaleWords
  /** Undefined for a company of the fixture whose trade is unknown or `none`. */
  trade: Trade | undefined
  city: string
  /** Surname in the name of the company; null if there is none, or a fixture names the company. */
  surname: string | null
  company: string
  /** Host of the company's website, unique in the world: `klitrose-tandlaege.example`. */
  domain: string
  /** Host of the company's e-mail addresses, below `.example`. */
  mailHost: string
  /** First keywords of a company that a fixture names; undefined for a generated company. */
  fixturePhrases?: readonly TypedPhrase[]
}

type CompanyOptions = Pick<Generate, 'agency' | 'companies' | 'projects' | 'showcase'>

/** A pattern of company names, and the surnames or cities that fill it. */
interface Pattern {
  market: number
  words: LocaleWords
  trade: Trade
  isOfCity: boolean
  /** Parts of the company name around the filling. */
  name: readonly [before: string, after: string]
  /** Parts of the host name around the slug of the filling. */
  slug: readonly [before: string, after: string]
  /** Surnames or cities in an order drawn from the seed, shared by all patterns of the locale that use the same kind. */
  fillings: readonly Filling[]
  /** Number of patterns that share the fillings. */
  sharing: number
  /** Index of this pattern among those that share the fillings. */
  rank: number
  /** Number of blocks after which the fillings of the pattern would repeat if `fillingOf` did not shift them. */
  cycle: number
}

interface Filling {
  text: string
  slug: string
}

/** A run of blocks with the same patterns. Each block has one company of each pattern. */
interface Stretch {
  /** Index of the stretch's first company. */
  start: number
  /** Index of the stretch's first block. */
  block: number
  patterns: readonly Pattern[]
}

const PLACEHOLDER = /\{(?:surname|city)\}/

/**
 * The companies of a world, by index. A company depends only on its index, the seed, the locales and the names in a fixture, so no
 * table of names in use is needed.
 *
 * Companies come in blocks: a block has one company of each pattern of names, in an order drawn from the seed. The patterns of a
 * locale use its surnames or cities in turn, so nearby companies have different ones in their names, and the first few thousand
 * names differ. After that, names repeat.
 *
 * A company whose name repeats one with a surname is in the next city, and has that city in its domain; after the last city, the
 * domain also gets a number. The domain of a company whose name repeats one with a city always gets a number.
 */
export class Companies {
  readonly #words: readonly LocaleWords[]
  readonly #seed: string
  readonly #stretches: readonly Stretch[]
  readonly #fixtureCompanies: readonly FixtureCompany[]
  /**
   * Hosts that no generated company may have: those of the fixture's agency and companies, except companies whose names would be
   * generated anyway.
   */
  readonly #taken: ReadonlySet<string>
  /** Number of companies before names repeat. */
  readonly count: number
  #indexes: readonly PhraseIndex[] | undefined
  readonly #known = new Map<number, Company>()

  constructor(words: readonly LocaleWords[], seed: string, options?: CompanyOptions) {
    const { agency, companies = [] } = options ?? {}
    this.#words = words
    this.#seed = seed
    this.#fixtureCompanies = companies
    const unchanged = options ? unchangedNames(options, new Companies(words, seed)) : new Set()
    const others = [...companies.entries()].filter(([, { name }]) => !unchanged.has(name))
    const hosts = others.flatMap(([place, company]) => {
      const { domain, mailHost } = hostsOfCompany(company, place)
      return [withoutWww(domain), mailHost]
    })
    this.#taken = new Set([...hosts, ...(agency ? [hostOfAgency(agency)] : [])])
    const names = others.map(([, { name }]) => name)
    const patterns = listPatterns(words, seed, names)
    const { stretches, count } = toStretches(patterns)
    this.#stretches = stretches
    this.count = count
  }

  at(index: number): Company {
    // If the fixture has taken the host of a company, a company at an index that no world reaches replaces it.
    for (let number = index; ; number += MAXIMUM_PROJECTS) {
      const company = this.#generate(number)
      if (!this.#taken.has(company.domain)) return company
    }
  }

  /**
   * Returns a company that the fixture names. `place` is the company's index in the fixture's list, `index` that of its project in
   * the world.
   */
  fromFixture(place: number, index: number): Company {
    const known = this.#known.get(place) ?? this.#read(place, index)
    this.#known.set(place, known)
    return known
  }

  #read(place: number, index: number): Company {
    const company = this.#fixtureCompanies[place] as FixtureCompany
    this.#indexes ??= this.#words.map((words) => new PhraseIndex(words))
    const { market, trade } = this.#recognise(company, this.#indexes)
    const words = this.#words[market] as LocaleWords
    const phrases = this.#indexes[market] as PhraseIndex
    const hosts = hostsOfCompany(company, place)
    const city =
      company.city ??
      phrases.cityIn(company.name) ??
      phrases.cityOfHost(hosts.domain) ??
      phrases.cityOfPhrases(company.keywords ?? []) ??
      cityOf(this.#seed, FIRST_PROJECT_ID + index, words.cities)
    return {
      market,
      words,
      trade,
      city,
      surname: null,
      company: company.name,
      ...hosts,
      fixturePhrases: (company.keywords ?? []).map((phrase) => {
        return { phrase, service: phrases.read(phrase, city, company.name, trade).service }
      }),
    }
  }

  /**
   * Returns the trade that a fixture gives a company or, if it gives none, the trade that the company's keywords or name suggest.
   * `market` is the index of the first locale in which that trade is recognised; 0 without a trade.
   */
  #recognise(
    { name, trade: statedTrade, keywords = [] }: FixtureCompany,
    indexes: readonly PhraseIndex[],
  ): { market: number; trade: Trade | undefined } {
    if (statedTrade === NO_TRADE) return { market: 0, trade: undefined }
    for (const [market, index] of indexes.entries()) {
      const trade =
        statedTrade === undefined ? index.tradeOf(keywords, name) : index.tradeCalled(statedTrade)
      if (trade) return { market, trade }
    }
    return { market: 0, trade: undefined }
  }

  #generate(index: number): Company {
    const number = index % this.count
    const round = Math.floor(index / this.count)
    const { patterns, start, block } = this.#stretchOf(number)
    const pattern = patterns[(number - start) % patterns.length] as Pattern
    const { market, words, trade, isOfCity } = pattern
    const filling = fillingOf(pattern, block + Math.floor((number - start) / patterns.length))
    const city = isOfCity ? filling.text : this.#cityOf(index, number, round, words.cities)
    const suffix = isOfCity ? suffixOf(round) : placeSuffix(city, round, words)
    const [before, after] = pattern.name
    const [slugBefore, slugAfter] = pattern.slug
    const domain = flat(slugBefore, filling.slug, slugAfter, suffix, '.example')
    return {
      market,
      words,
      trade,
      city,
      surname: isOfCity ? null : filling.text,
      company: flat(before, filling.text, after),
      domain,
      mailHost: domain,
    }
  }

  #stretchOf(number: number): Stretch {
    let place = this.#stretches.length - 1
    while ((this.#stretches[place] as Stretch).start > number) place -= 1
    return this.#stretches[place] as Stretch
  }

  /**
   * Returns the city of a company with a surname in its name: a random one for the first company with that name, and the cities in
   * turn for all later ones.
   */
  #cityOf(index: number, number: number, round: number, cities: readonly string[]): string {
    if (round === 0) return cityOf(this.#seed, FIRST_PROJECT_ID + index, cities)
    return cities[(number + round) % cities.length] as string
  }
}

/** Returns the names in the fixture that the same projects would have without it. Generated companies need not avoid these. */
function unchangedNames(options: CompanyOptions, generated: Companies): ReadonlySet<string> {
  const { companies = [] } = options
  const names = [...placeCompanies(options)].flatMap(([place, { company }]) => {
    const name = company === undefined ? undefined : companies[company]?.name
    return name === generated.at(place).company ? [name] : []
  })
  return new Set(names)
}

/** Draws the city of a project whose company has no city in its name. */
export function cityOf(seed: string, project: number, cities: readonly string[]): string {
  return createRandom(seed, 'city', project).pick(cities)
}

/** Returns the suffix that distinguishes the host of a company from the hosts of its namesakes. */
function placeSuffix(city: string, round: number, words: LocaleWords): string {
  if (round === 0) return ''
  return `-${slugOf(city, words)}${suffixOf(Math.floor(round / words.cities.length))}`
}

function suffixOf(round: number): string {
  return round === 0 ? '' : `-${round + 1}`
}

/**
 * Returns the filling of a pattern in a block. Patterns that share fillings use them in turn. Each cycle is shifted by one:
 * otherwise a pattern would miss some fillings if the numbers of patterns and fillings had a common divisor.
 */
function fillingOf({ fillings, rank, sharing, cycle }: Pattern, block: number): Filling {
  const place = rank + block * sharing + Math.floor(block / cycle)
  return fillings[place % fillings.length] as Filling
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other)
}

/** Divides the blocks into stretches. A new stretch begins when a pattern runs out of fillings. `count` is the number of names. */
function toStretches(patterns: readonly Pattern[]): { stretches: Stretch[]; count: number } {
  const sizes = [...new Set(patterns.map(({ fillings }) => fillings.length))].toSorted(
    (one, other) => one - other,
  )
  const stretches: Stretch[] = []
  let [start, block] = [0, 0]
  for (const size of sizes) {
    const left = patterns.filter(({ fillings }) => fillings.length >= size)
    stretches.push({ start, block, patterns: left })
    start += left.length * (size - block)
    block = size
  }
  return { stretches, count: start }
}

/** Returns the patterns of all trades, each once per locale, in an order drawn from the seed. */
function listPatterns(
  locales: readonly LocaleWords[],
  seed: string,
  fixtureNames: readonly string[],
): Pattern[] {
  const taken = fixtureNames.flatMap((name) => toSlug(name).split('-'))
  const [surnamesOf, citiesOf] = [assign('surnames', locales), assign('cities', locales)]
  const patterns = locales.flatMap((words, market) => {
    const toFilling = (text: string) => ({ text, slug: slugOf(text, words) })
    const surnames = permute(surnamesOf[market]!, seed, 'surnames', market).map(toFilling)
    const free = surnames.filter(({ slug }) => !taken.some((other) => isNearTwin(slug, other)))
    const own = free.length < MINIMUM_SURNAMES ? surnames : free
    taken.push(...own.map(({ slug }) => slug))
    const cities = permute(citiesOf[market]!, seed, 'cities', market).map(toFilling)
    const all = templatesOf(words)
    return [
      ...toPatterns(
        all.filter(({ isOfCity }) => isOfCity),
        { market, words, fillings: cities },
      ),
      ...toPatterns(
        all.filter(({ isOfCity }) => !isOfCity),
        { market, words, fillings: own },
      ),
    ]
  })
  return permute(patterns, seed, 'patterns')
}

/**
 * Returns the surnames or cities of each locale. Locales of one language share the patterns of company names, so a surname or city
 * in several of their lists is assigned to one locale. Otherwise two locales could generate the same company name.
 */
function assign(list: 'surnames' | 'cities', locales: readonly LocaleWords[]): readonly string[][] {
  const keyOf = (name: string, words: LocaleWords) => `${words.language.id} ${slugOf(name, words)}`
  const markets = new Map<string, number[]>()
  for (const [market, words] of locales.entries()) {
    for (const name of words[list]) {
      const key = keyOf(name, words)
      markets.set(key, [...(markets.get(key) ?? []), market])
    }
  }
  const shared = [...markets].filter(([, all]) => all.length > 1)
  const ownerOf = new Map(shared.map(([key, all], index) => [key, all[index % all.length]]))
  return locales.map((words, market) =>
    words[list].filter((name) => (ownerOf.get(keyOf(name, words)) ?? market) === market),
  )
}

/**
 * Minimum number of surnames that remain when a locale leaves out those that resemble a name in the fixture or a surname of an
 * earlier locale. If fewer would remain, it leaves out none.
 */
const MINIMUM_SURNAMES = 20

interface NameTemplate {
  trade: Trade
  template: string
  slug: string
  isOfCity: boolean
}

function templatesOf({ trades }: LocaleWords): NameTemplate[] {
  const slugs = new Set<string>()
  return trades.flatMap((trade) =>
    trade.companies.flatMap((template) => {
      const slug = toSlug(template.replace(PLACEHOLDER, GAP))
      if (slugs.has(slug)) return []
      slugs.add(slug)
      return [{ trade, template, slug, isOfCity: template.includes('{city}') }]
    }),
  )
}

function toPatterns(
  templates: readonly NameTemplate[],
  shared: Pick<Pattern, 'market' | 'words' | 'fillings'>,
): Pattern[] {
  return templates.map(({ trade, template, slug, isOfCity }, rank) => ({
    ...shared,
    trade,
    isOfCity,
    name: toParts(template.split(PLACEHOLDER)),
    slug: toParts(slug.split(GAP)),
    sharing: templates.length,
    rank,
    cycle: shared.fillings.length / commonDivisor(templates.length, shared.fillings.length),
  }))
}

/** Marks the place of the filling in a slug. A digit, because `toSlug` keeps it even within a word, and no name has one. */
const GAP = '0'

function toParts([before = '', after = '']: string[]): [before: string, after: string] {
  return [before, after]
}

/**
 * True for two lower-case names that are hard to tell apart: they are equal, or differ by one letter replaced or inserted, by two
 * neighbours swapped (andersen, andresen), or by up to two letters added at the end (hunt, hunter).
 */
export function isNearTwin(one: string, other: string): boolean {
  if (one.length > other.length) return isNearTwin(other, one)
  if (other.length - one.length > 2) return false
  if (other.startsWith(one)) return true
  let start = 0
  while (one[start] === other[start]) start += 1
  const [left, right] = [one.slice(start), other.slice(start)]
  return (
    left.slice(1) === right.slice(1) ||
    left === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  )
}
