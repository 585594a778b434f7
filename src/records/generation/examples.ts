import { Companies } from './companies.ts'
import { localesOf } from './generate.ts'
import type { Generate } from './generate.ts'
import type { GivenAgency, GivenCompany } from './given.ts'
import { nameAgency } from './people.ts'
import { phrasesOf } from './phrases.ts'
import { placeCompanies } from './showcase.ts'
import { loadWords } from './words.ts'

/** The agency of a showcase, and the companies of its situations, as a fixture would name them. */
export async function exampleNames(
  generate: Generate,
  seed: string,
): Promise<{ agency: GivenAgency; companies: GivenCompany[] }> {
  const words = await Promise.all(localesOf(generate).map(loadWords))
  const companies = new Companies(words, seed)
  const places = [...placeCompanies({ ...generate, companies: undefined }).keys()]
  return {
    agency: { name: nameAgency(0, words[0]!, seed) },
    companies: places.map((place) => {
      const { company: name, domain, city, trade } = companies.at(place)
      const phrases = trade ? phrasesOf(trade, city).filter(({ service }) => service) : []
      const keywords = [phrases[0], phrases.at(-1)].flatMap((each) => each?.phrase ?? [])
      return { name, domain, city, trade: trade?.name, keywords }
    }),
  }
}
