import type { ProjectRecord } from '../../contract/project.ts'
import { FIRST_PROJECT_ID } from '../generated-ids.ts'
import { createRandom } from '../random.ts'
import { cityOf } from './companies.ts'
import type { PhraseIndex } from './phrases.ts'
import { fill } from './templates.ts'
import type { Values } from './templates.ts'
import type { Trade, Words } from './words.ts'

/** What texts about a project are written with. */
export interface DetailSources {
  words: Words
  index: PhraseIndex
  seed: string
  /** What the business does; undefined where that is not known. */
  trade: Trade | undefined
  /** Where it is, where that is stated. */
  city?: string | undefined
}

const FIRST_YEAR = 1958
const LAST_YEAR = 2019
const LAST_NUMBER = 120

/**
 * What texts say about a project: its city, a street, the year of its foundation, its prices and so on. There is one value of
 * each kind, so that no text contradicts another one.
 */
export function detailsOf(project: ProjectRecord, sources: DetailSources): Values {
  const { words, index, seed, trade } = sources
  const random = createRandom(seed, 'details', project.id)
  const name = random.pick(words.people.companies)
  const colleague = random.pick(words.people.companies.filter((other) => other !== name))
  const street = random.pick(words.streets)
  const number = String(random.integer(1, LAST_NUMBER))
  const year = random.integer(FIRST_YEAR, LAST_YEAR)
  const city = sources.city ?? homeOf(project, index, words, seed)
  return {
    company: project.company_name ?? project.name,
    city,
    place: city === undefined ? undefined : fill(words.in_city, { city }),
    street: fill(words.address, { street, number }),
    year: String(year),
    years: String(fullYears(year, project)),
    name,
    colleague,
    ...factsOf(project, { words, seed, trade }),
  }
}

/** Five at least, and a multiple of five, so that "more than 25 years" is true for a while. */
function fullYears(founded: number, { created_at }: ProjectRecord): number {
  const years = Number(created_at.slice(0, 4)) - founded - 1
  return Math.max(5, years - (years % 5))
}

function factsOf(
  { id }: ProjectRecord,
  { words, seed, trade }: Pick<DetailSources, 'words' | 'seed' | 'trade'>,
): Values {
  const random = createRandom(seed, 'facts', id)
  const facts = trade ? trade.facts : words.neutral?.facts
  if (!facts) return { hours: words.sentences && random.pick(words.sentences.hours) }
  const [from, to] = random.pick(facts.prices)
  const written = (amount: number) => writeAmount(amount, words.currency?.thousands ?? '')
  return {
    ...random.pick(facts.hours),
    wait: random.pick(facts.wait),
    team: random.pick(facts.team),
    price_from: written(from),
    price_to: written(to),
  }
}

function writeAmount(amount: number, separator: string): string {
  return String(amount).replaceAll(/\B(?=(?:\d{3})+$)/g, separator)
}

/**
 * The city in a project's name or domain. Where there is none, it is the one drawn for a generated project, also once
 * it is written as a fixture. Projects that somebody wrote by hand have lower ids: no city is attributed to them.
 */
export function homeOf(
  { id, name, company_name, domain }: ProjectRecord,
  index: PhraseIndex,
  { cities }: Words,
  seed: string,
): string | undefined {
  const named = index.cityIn(company_name ?? name) ?? index.cityOfHost(domain ?? '')
  return named ?? (id < FIRST_PROJECT_ID ? undefined : cityOf(seed, id, cities))
}
