import type { RecordSet } from '../../contract/records.ts'
import { magicTokens } from '../magic-tokens.ts'
import { createPermutation } from '../permutation.ts'
import { createRandom } from '../random.ts'
import type { Generate } from './generate.ts'
import { hostOfAgency } from './slug.ts'
import type { LocaleWords } from './words.ts'

/** User ids of an agency are its own id and two more digits. */
const USERS_PER_AGENCY = 100
const MOST_USERS = 8

type ReferenceRecords = Omit<RecordSet, 'projects' | 'keywords' | 'reports'>

/**
 * Adds the tokens and what projects refer to; a section that the fixture has is kept as it is. Agencies take turns in
 * several locales.
 */
export function completeReferenceRecords(
  written: ReferenceRecords,
  { seed, agencies: count, agency }: { seed: string } & Pick<Generate, 'agencies' | 'agency'>,
  locales: readonly LocaleWords[],
): ReferenceRecords {
  const wordsOf = (index: number) => locales[index % locales.length] as LocaleWords
  const agencies = orElse(written.agencies, () =>
    Array.from({ length: agency ? 1 : count }, (_, index) => {
      const place = Math.floor(index / locales.length)
      const words = wordsOf(index)
      const { name } = agency ?? { name: nameAgency(place, words, seed) }
      const report_cc_email = `${words.mailboxes.reports}@${hostOfAgency({ name })}`
      return { id: index + 1, name, report_cc_email }
    }),
  )
  const users = orElse(written.users, () =>
    agencies.flatMap(({ id }, index) => {
      const { people, surnames, roles } = wordsOf(index)
      const random = createRandom(seed, 'users', id)
      const first = createPermutation(people.agencies.length, seed, 'first names', id)
      // Companies take surnames in this order from its beginning, and agencies from its end.
      const last = createPermutation(surnames.length, seed, 'surnames', index % locales.length)
      const others = Math.floor(index / locales.length) * MOST_USERS
      const surnameOf = (place: number) => {
        return surnames[last(surnames.length - 1 - ((others + place) % surnames.length))] as string
      }
      return Array.from({ length: random.integer(4, MOST_USERS) }, (_, place) => ({
        id: id * USERS_PER_AGENCY + place + 1,
        name: `${people.agencies[first(place)]} ${surnameOf(place)}`,
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
    languages: orElse(written.languages, () =>
      locales.map(({ language: { id, label } }) => ({ id, label })),
    ),
    tokens: orElse(written.tokens, () => magicTokens(agencies[0]?.id ?? null)),
  }
}

/** The name of an agency by its place among those of its locale, which all have different ones: `Nordlys Medier`. */
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
