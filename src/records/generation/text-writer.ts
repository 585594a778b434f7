import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { H3TextBlock } from '../../contract/report.ts'
import { cityOf } from './companies.ts'
import { FIRST_PROJECT_ID } from '../generated-ids.ts'
import { LANGUAGES } from './languages/index.ts'
import { LOCALES } from './locales.ts'
import type { Locale } from './locales.ts'
import { PhraseIndex } from './phrases.ts'
import type { Topic } from './phrases.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { canRender, fill, parseTemplates, render, upperFirst } from './templates.ts'
import type { Template, Values } from './templates.ts'
import type { TradeName } from './trades.ts'
import { loadWords } from './words.ts'
import type { Words } from './words.ts'

/** Writes what a completed report says about a keyword. */
export interface TextWriter {
  /** A pure function of the seed, the report's id, both records and what is stated of the business. */
  write: (
    reportId: number,
    keyword: KeywordRecord,
    project: ProjectRecord,
    stated?: StatedBusiness,
  ) => H3TextBlock[]
}

/** What a fixture says of a business, where its name and its keywords may say something else. */
export interface StatedBusiness {
  city: string
  trade: TradeName | undefined
}

/** Loads the words of a locale, and returns what writes texts with them; the seed is the world's. */
export async function loadTextWriter(locale: Locale, seed: string): Promise<TextWriter> {
  return createTextWriter(await loadWords(locale), seed)
}

export function createTextWriter(words: Words, seed: string): TextWriter {
  let known: PhraseIndex | undefined
  let latest: { project: ProjectRecord; details: Values } | undefined
  return {
    write: (reportId, keyword, project, stated) => {
      const index = (known ??= new PhraseIndex(words))
      if (latest?.project !== project) {
        const details = detailsOf(project, index, words, seed)
        latest = { project, details: stated ? { ...details, city: stated.city } : details }
      }
      const { details } = latest
      const { city, company = '' } = details
      const own = stated && words.trades.find(({ key }) => key === stated.trade)
      const topic = index.read(keyword.keyword, city, company, own)
      const random = createRandom(seed, 'text', reportId, keyword.id)
      return writeBlocks(topic, details, words, random)
    },
  }
}

/** What texts say about a project besides its name: its city, a street, the year of its foundation and so on. */
export function detailsOf(
  project: ProjectRecord,
  index: PhraseIndex,
  words: Words,
  seed: string,
): Values {
  const { faker } = words
  faker.seed(createRandom(seed, 'details', project.id).integer(0, 2 ** 31 - 1))
  const [colleague, name] = faker.helpers.arrayElements(words.people.companies, 2)
  const street = faker.helpers.arrayElement(words.streets)
  const number = String(faker.number.int({ min: 1, max: 120 }))
  const founded = faker.date.between({ from: '1958-01-01', to: '2019-12-31' })
  return {
    company: project.company_name ?? project.name,
    city: homeOf(project, index, words, seed),
    street: fill(words.address, { street, number }),
    year: String(founded.getUTCFullYear()),
    hours: faker.helpers.arrayElement(words.sentences?.hours ?? ['']),
    colleague,
    name,
  }
}

/**
 * The city in a project's name or domain. Where there is none, it is the one drawn for a generated project, also once
 * it is written as a fixture. Projects that somebody wrote by hand have lower ids: no city is attributed to them.
 */
function homeOf(
  { id, name, company_name, domain }: ProjectRecord,
  index: PhraseIndex,
  { cities }: Words,
  seed: string,
): string | undefined {
  const named = index.cityIn(company_name ?? name) ?? index.cityOfHost(domain ?? '')
  return named ?? (id < FIRST_PROJECT_ID ? undefined : cityOf(seed, id, cities))
}

const CLOSING_SHARE = 0.35
const NONE: readonly string[] = []

/** The first block begins with the phrase, further ones with what there is to say about its service. */
function writeBlocks(topic: Topic, details: Values, words: Words, random: Random): H3TextBlock[] {
  const { intent, trade, service, isListed } = topic
  const { phrase, title, city = details['city'] } = topic
  const values: Values = {
    ...details,
    city,
    service,
    Service: service && upperFirst(service),
    phrase,
    Phrase: title,
  }
  const draft = new Draft(values, random)
  const draw = (list: readonly string[]) => draft.draw(list)

  const all = words.sentences!
  const own = isListed ? NONE : all.around
  const facts = service === undefined ? NONE : (trade?.sentences?.services[service] ?? NONE)
  const body = () => draw(facts) ?? draw(trade?.sentences?.any ?? own) ?? draw(all.middles)
  const others = service === undefined ? (trade?.sentences?.any ?? own) : NONE
  const aside = () => {
    const share = random.next()
    if (share < 0.35) return draw(others) ?? draw(all.advice[intent])
    if (share < 0.6) return draw(all.advice[intent])
    if (share < 0.74) return draw(all.details)
    return share < 0.88 && !trade?.isMobile ? draw(all.premises) : draw(all.middles)
  }

  const { headings, openings } = isListed
    ? { headings: words.headings[intent], openings: words.openings[intent] }
    : words.around
  return Array.from({ length: random.integer(2, 3) }, (_, number) => {
    draft.startBlock()
    const isFirst = number === 0
    const h3 = isFirst ? draw(headings) : draw(all.sections)
    const sentences = [
      isFirst ? draw(openings) : undefined,
      body(),
      isFirst ? draw(all.advice[intent]) : aside(),
      !isFirst && random.chance(0.4) ? aside() : undefined,
      random.chance(CLOSING_SHARE) ? draw(all.closings) : undefined,
    ]
    return { h3: h3 ?? title, text: sentences.filter(Boolean).join(' ') }
  })
}

/** What is drawn for one text: no template twice, and none with the phrase once a block has it twice. */
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

/** The locale of a language by its label (`Danish`, `English (UK)`), in English or its own name; English for others. */
export function localeOfLanguage(label: string | undefined): Locale {
  const [name = ''] = (label ?? '')
    .trim()
    .toLowerCase()
    .split(/[^\p{L}]/u)
  return LOCALES.find((locale) => LANGUAGES[locale].names.includes(name)) ?? 'en'
}
