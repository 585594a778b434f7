import type { ProjectRecord } from '../../contract/project.ts'
import { isGeneratedProject } from '../generated-ids.ts'
import { createRandom } from '../random.ts'
import { cityOf } from './companies.ts'
import type { PhraseIndex } from './phrases.ts'
import { fill } from './templates.ts'
import type { Values } from './templates.ts'
import type { Facts } from './texts.ts'
import type { Trade, LocaleWords } from './words.ts'

export interface DetailSources {
  words: LocaleWords
  index: PhraseIndex
  seed: string
  trade: Trade | undefined
  city?: string | undefined
}

const FIRST_YEAR = 1958
const LAST_YEAR = 2019
const LAST_NUMBER = 120

/**
 * Returns the details of a project for its texts, such as its city, street and prices. There is one value of each kind, so that
 * texts do not contradict each other.
 */
export function detailsOf(project: ProjectRecord, sources: DetailSources): Values {
  const { words, index, seed } = sources
  const random = createRandom(seed, 'details', project.id)
  const { companies: people } = words.people
  const first = random.integer(0, people.length - 1)
  const second = (first + random.integer(1, people.length - 1)) % people.length
  const street = words.streets.length > 0 ? random.pick(words.streets) : undefined
  const number = String(random.integer(1, LAST_NUMBER))
  const year = random.integer(FIRST_YEAR, LAST_YEAR)
  const city = sources.city ?? homeOf(project, index, words, seed)
  const { hours, opens, closes, prices, wait, team } = factsOf(project, sources)
  const amount = (place: 0 | 1) =>
    prices && words.currency && writeAmount(prices[place], words.currency.thousands)
  // Fields that differ by text are undefined here, not absent, because V8 takes ten times as long for a copy that adds fields.
  return {
    company: project.company_name ?? project.name,
    city,
    place: city === undefined ? undefined : fill(words.in_city, { city }),
    street: street === undefined ? undefined : fill(words.address, { street, number }),
    year: String(year),
    years: String(fullYears(year, project)),
    name: people[first],
    colleague: people[second],
    hours,
    opens,
    closes,
    wait,
    team,
    price_from: amount(0),
    price_to: amount(1),
    service: undefined,
    Service: undefined,
    phrase: undefined,
    Phrase: undefined,
  }
}

/**
 * Returns the age of a company at the creation of its project, in years, for phrases like "more than 25 years": rounded down to a
 * multiple of five, and at least five.
 */
function fullYears(founded: number, { created_at }: ProjectRecord): number {
  const years = Number(created_at.slice(0, 4)) - founded - 1
  return Math.max(5, years - (years % 5))
}

interface Drawn extends Partial<Facts['hours'][0]> {
  prices?: Facts['prices'][0]
  wait?: string
  team?: string
}

/**
 * Picks one fact of each kind. If there are no facts for the trade, picks only opening hours, from the sentences of the locale, if
 * it has any.
 */
function factsOf(
  { id }: ProjectRecord,
  { words, seed, trade }: Pick<DetailSources, 'words' | 'seed' | 'trade'>,
): Drawn {
  const random = createRandom(seed, 'facts', id)
  const facts = trade ? trade.facts : words.neutral?.facts
  if (!facts) return words.sentences ? { hours: random.pick(words.sentences.hours) } : {}
  return {
    ...random.pick(facts.hours),
    prices: random.pick(facts.prices),
    wait: random.pick(facts.wait),
    team: random.pick(facts.team),
  }
}

function writeAmount(amount: number, separator: string): string {
  const digits = String(amount)
  const thousands = digits.slice(0, -3)
  return thousands === '' ? digits : `${thousands}${separator}${digits.slice(-3)}`
}

/**
 * Returns the city in a project's name or domain. If there is none, returns the city drawn for a project with a generated id, and
 * undefined for any other project.
 */
export function homeOf(
  project: ProjectRecord,
  index: PhraseIndex,
  { cities }: LocaleWords,
  seed: string,
): string | undefined {
  const { id, name, company_name, domain } = project
  const named = index.cityIn(company_name ?? name) ?? index.cityOfHost(domain ?? '')
  return named ?? (isGeneratedProject(project) ? cityOf(seed, id, cities) : undefined)
}
