import type { RecordSet } from '../../contract/records.ts'
import { magicTokens } from '../magic-tokens.ts'
import { createPermutation } from '../permutation.ts'
import { createRandom } from '../random.ts'
import type { Generate } from './generate.ts'
import { hostOfAgency } from './slug.ts'
import { fill } from './templates.ts'
import type { LocaleWords } from './words.ts'

/** The id of a user is the id of the agency followed by two digits. */
const USERS_PER_AGENCY = 100
const MAXIMUM_USERS = 8

type ReferenceRecords = Omit<RecordSet, 'projects' | 'keywords' | 'reports'>

/**
 * Adds tokens and the records that projects refer to, in sections that the fixture leaves empty. If there are several locales,
 * the agencies use them in turn.
 */
export function completeReferenceRecords(
  written: ReferenceRecords,
  { seed, agencies: count, agency }: { seed: string } & Pick<Generate, 'agencies' | 'agency'>,
  locales: readonly LocaleWords[],
): ReferenceRecords {
  const wordsOf = (index: number) => locales[index % locales.length] as LocaleWords
  const agencies = orElse(written.agencies, () =>
    Array.from({ length: agency ? 1 : count }, (_, index) => {
      const words = wordsOf(index)
      const { name } = agency ?? { name: nameAgency(placeInLanguage(index, locales), words, seed) }
      const report_cc_email = `${words.mailboxes.reports}@${hostOfAgency({ name })}`
      return { id: index + 1, name, report_cc_email }
    }),
  )
  const users = orElse(written.users, () =>
    agencies.flatMap(({ id }, index) => {
      const words = wordsOf(index)
      const { people, surnames, roles } = words
      const random = createRandom(seed, 'users', id)
      const first = createPermutation(people.agencies.length, seed, 'first names', id)
      // Companies take surnames from the start of this order, and agencies from its end, so that few surnames are in both. (If
      // locales share surnames, companies have another order.)
      const last = createPermutation(surnames.length, seed, 'surnames', index % locales.length)
      const others = Math.floor(index / locales.length) * MAXIMUM_USERS
      const surnameOf = (place: number) => {
        return surnames[last(surnames.length - 1 - ((others + place) % surnames.length))] as string
      }
      return Array.from({ length: random.integer(4, MAXIMUM_USERS) }, (_, place) => ({
        id: id * USERS_PER_AGENCY + place + 1,
        name: toFullName(people.agencies[first(place)] as string, surnameOf(place), words),
        role: random.chance(0.9) ? random.pick(roles) : null,
        agency: id,
      }))
    }),
  )
  return {
    agencies,
    users,
    countries: orElse(written.countries, () =>
      locales.map(({ country }) => ({ ...country, applicable: true })),
    ),
    languages: orElse(written.languages, () => [
      ...new Map(locales.map(({ language: { id, label } }) => [id, { id, label }])).values(),
    ]),
    tokens: orElse(written.tokens, () => magicTokens(agencies[0]?.id ?? null)),
  }
}

/** Returns the index of an agency among those with names in its language. */
function placeInLanguage(index: number, locales: readonly LocaleWords[]): number {
  const own = locales[index % locales.length]?.language.id
  const sharing = locales.map(({ language }) => language.id === own)
  const before = sharing.slice(0, index % locales.length)
  const count = (list: readonly boolean[]) => list.filter(Boolean).length
  return Math.floor(index / locales.length) * count(sharing) + count(before)
}

/** Returns the full name of a person. `surname` is the masculine form. */
function toFullName(
  first_name: string,
  surname: string,
  { fullName, feminine }: LocaleWords,
): string {
  const [ofMen, ofWomen] = feminine?.names.has(first_name)
    ? (feminine.endings.find(([ending]) => surname.endsWith(ending)) ?? ['', ''])
    : ['', '']
  return fill(fullName, {
    first_name,
    surname: surname.slice(0, surname.length - ofMen.length) + ofWomen,
  })
}

/**
 * Returns the name of an agency, like `Nordlys Medier`. `place` is its index among the agencies with its language, whose names all
 * differ.
 */
export function nameAgency(
  place: number,
  { agencies: { names, kinds } }: LocaleWords,
  seed: string,
): string {
  const number = createPermutation(names.length * kinds.length, seed, 'agencies')(place)
  return `${names[Math.floor(number / kinds.length)]} ${kinds[number % kinds.length]}`
}

function orElse<Item>(written: Item[], generate: () => Item[]): Item[] {
  return written.length > 0 ? written : generate()
}
