import { createPermutation } from '../permutation.ts'
import { createRandom } from '../random.ts'
import { FIRST_PROJECT_ID } from '../generated-ids.ts'
import { flat } from './flat.ts'
import { toSlug } from './slug.ts'
import type { Trade, Words } from './words.ts'

/** A business that a project is for, in the words of its locale. */
export interface Company {
  /** Its place among the locales of the world. */
  market: number
  words: Words
  trade: Trade
  city: string
  /** Of its owner; null where it is named after its city. */
  surname: string | null
  company: string
  /** A host below a reserved domain, which no other company of the world has: `klitrose-tandlaege.example`. */
  domain: string
}

/** A pattern of names with all that may stand in its place: surnames or cities. */
interface Pattern {
  market: number
  words: Words
  trade: Trade
  isOfCity: boolean
  /** The parts of a name around what is filled in, and of its host. */
  name: readonly [before: string, after: string]
  slug: readonly [before: string, after: string]
  fillings: readonly Filling[]
  /** How many names the patterns before it have. */
  start: number
}

interface Filling {
  text: string
  slug: string
}

const PLACEHOLDER = /\{(?:surname|city)\}/

/**
 * The companies of a world by their index, which is all that they depend on besides the seed. Every name that the patterns
 * allow has a number, and the index of a company is shuffled to one. So the first few thousand have different names,
 * and no table of the names that are taken is needed: when all have been used, the next company of
 * that name is in another city, and has it in its domain; after all cities there is a number too.
 */
export class Companies {
  readonly #seed: string
  readonly #patterns: readonly Pattern[]
  readonly #shuffle: (index: number) => number
  /** How many different names there are. */
  readonly count: number

  constructor(words: readonly Words[], seed: string) {
    this.#seed = seed
    this.#patterns = listPatterns(words)
    const last = this.#patterns.at(-1)
    this.count = last ? last.start + last.fillings.length : 0
    this.#shuffle = createPermutation(this.count, seed, 'companies')
  }

  at(index: number): Company {
    const number = this.#shuffle(index % this.count)
    const round = Math.floor(index / this.count)
    const pattern = this.#patternOf(number)
    const { market, words, trade, isOfCity, fillings, start } = pattern
    const filling = fillings[number - start] as Filling
    const city = isOfCity ? filling.text : this.#cityOf(index, number, round, words.cities)
    const suffix = isOfCity ? suffixOf(round) : placeSuffix(city, round, words.cities.length)
    const [before, after] = pattern.name
    const [slugBefore, slugAfter] = pattern.slug
    return {
      market,
      words,
      trade,
      city,
      surname: isOfCity ? null : filling.text,
      company: flat(before, filling.text, after),
      domain: flat(slugBefore, filling.slug, slugAfter, suffix, '.example'),
    }
  }

  /** Of the first company of a name, drawn for it alone; of later ones, one city after the other. */
  #cityOf(index: number, number: number, round: number, cities: readonly string[]): string {
    if (round === 0) return cityOf(this.#seed, FIRST_PROJECT_ID + index, cities)
    return cities[(number + round) % cities.length] as string
  }

  #patternOf(number: number): Pattern {
    let [low, high] = [0, this.#patterns.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#patterns[middle] as Pattern).start <= number) low = middle
      else high = middle - 1
    }
    return this.#patterns[low] as Pattern
  }
}

/** The city of the first company of a name, which is not in its name. */
export function cityOf(seed: string, project: number, cities: readonly string[]): string {
  return createRandom(seed, 'city', project).pick(cities)
}

/** What distinguishes the host of a company from those with the same name in other cities. */
function placeSuffix(city: string, round: number, cities: number): string {
  if (round === 0) return ''
  return `-${toSlug(city)}${suffixOf(Math.floor(round / cities))}`
}

function suffixOf(round: number): string {
  return round === 0 ? '' : `-${round + 1}`
}

/** The patterns of all trades, each once for a locale, without surnames that an earlier locale has. */
function listPatterns(locales: readonly Words[]): Pattern[] {
  const patterns: Pattern[] = []
  const taken = new Set<string>()
  let start = 0
  for (const [market, words] of locales.entries()) {
    const toFilling = (text: string): Filling => ({ text, slug: toSlug(text) })
    const surnames = words.surnames.map(toFilling).filter(({ slug }) => !taken.has(slug))
    const cities = words.cities.map(toFilling)
    for (const { slug } of surnames) taken.add(slug)
    const slugs = new Set<string>()
    for (const trade of words.trades) {
      for (const template of trade.companies) {
        const slug = toSlug(template.replace(PLACEHOLDER, GAP))
        if (slugs.has(slug)) continue
        slugs.add(slug)
        const isOfCity = template.includes('{city}')
        const fillings = isOfCity ? cities : surnames
        patterns.push({
          market,
          words,
          trade,
          isOfCity,
          name: toParts(template.split(PLACEHOLDER)),
          slug: toParts(slug.split(GAP)),
          fillings,
          start,
        })
        start += fillings.length
      }
    }
  }
  return patterns
}

/** Stands for what is filled in: part of a word, and in no name. */
const GAP = '0'

function toParts([before = '', after = '']: string[]): [before: string, after: string] {
  return [before, after]
}
