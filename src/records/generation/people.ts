import type { RecordSet } from '../../contract/records.ts'
import { magicTokens } from '../magic-tokens.ts'
import { createRandom } from '../random.ts'
import type { Words } from './words.ts'

/** User ids of an agency are its own id and two more digits. */
const USERS_PER_AGENCY = 100

type ReferenceRecords = Omit<RecordSet, 'projects' | 'keywords' | 'reports'>

/** Adds what projects refer to and the tokens; a section that the fixture has is kept as it is. */
export function completeReferenceRecords(
  written: ReferenceRecords,
  { seed, agencies: count }: { seed: string; agencies: number },
  { copy, firstNames, surnames }: Words,
): ReferenceRecords {
  const agencies = orElse(written.agencies, () =>
    Array.from({ length: count }, (_, index) => {
      const random = createRandom(seed, 'agency', index + 1)
      const name = `${random.pick(surnames)} & ${random.pick(surnames)}`
      return { id: index + 1, name, report_cc_email: `reports@agency-${index + 1}.example` }
    }),
  )
  const users = orElse(written.users, () =>
    agencies.flatMap(({ id: agency }) => {
      const random = createRandom(seed, 'users', agency)
      return Array.from({ length: random.integer(4, 8) }, (_, index) => ({
        id: agency * USERS_PER_AGENCY + index + 1,
        name: `${random.pick(firstNames)} ${random.pick(surnames)}`,
        role: random.chance(0.9) ? random.pick(copy.roles) : null,
        agency,
      }))
    }),
  )
  return {
    agencies,
    users,
    countries: orElse(written.countries, () => [{ ...copy.country, applicable: true }]),
    languages: orElse(written.languages, () => [copy.language]),
    tokens: orElse(written.tokens, () => magicTokens(agencies[0]?.id ?? null)),
  }
}

function orElse<Item>(written: Item[], generate: () => Item[]): Item[] {
  return written.length > 0 ? written : generate()
}
