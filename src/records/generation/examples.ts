import { Companies } from './companies.ts'
import { localesOf } from './generate.ts'
import type { Generate } from './generate.ts'
import type { FixtureCompany } from './fixture-companies.ts'
import { nameAgency } from './people.ts'
import { phrasesOf } from './phrases.ts'
import { placeCompanies } from './showcase.ts'
import { hostsOfCompany } from './slug.ts'
import { loadWords } from './words.ts'

/**
 * Adds names to the options of a showcase: that of the agency, if there is only one, and those of companies for the showcase's
 * remaining situations. Worlds are generated from the result, and `generate --demo` writes it to a file.
 */
export async function withShowcaseNames(
  generate: Generate,
  seed: string,
): Promise<Generate & { companies: FixtureCompany[] }> {
  const words = await Promise.all(localesOf(generate).map(loadWords))
  const own = new Companies(words, seed)
  const places = [...placeCompanies({ ...generate, companies: undefined }).keys()]
  const exampleOf = (place: number): FixtureCompany => {
    const { company: name, domain, city, trade } = own.at(place)
    const isFirst = place === places[0]
    const phrases = trade ? phrasesOf(trade, city).filter(({ service }) => service) : []
    const isOwnHost = hostsOfCompany({ name }, place).domain === domain
    // The first example shows how to set the domain and keywords.
    return {
      name,
      ...((isFirst || !isOwnHost) && { domain }),
      city,
      ...(trade && { trade: trade.name }),
      ...(isFirst && {
        keywords: [phrases[0], phrases.at(-1)].flatMap((each) => each?.phrase ?? []),
      }),
    }
  }
  const { companies = [] } = generate
  const hosts = new Set(companies.map((company, place) => hostsOfCompany(company, place).domain))
  const others = [...placeCompanies(generate)].flatMap(([place, { situation, company }]) => {
    if (!situation || company !== undefined || hosts.has(own.at(place).domain)) return []
    const example = exampleOf(place)
    return [companies.length > 0 ? { ...example, situation: situation.name } : example]
  })
  return {
    ...generate,
    ...(generate.agencies === 1 && { agency: { name: nameAgency(0, words[0]!, seed) } }),
    ...(generate.agency && { agency: generate.agency }),
    companies: [...companies, ...others],
  }
}

/** Returns the companies that a fixture names in a showcase, each with its situation, without those of the showcase's own names. */
export async function namedCompanies(generate: Generate, seed: string): Promise<FixtureCompany[]> {
  const own = new Companies(await Promise.all(localesOf(generate).map(loadWords)), seed)
  const places = [...placeCompanies(generate)]
  return (generate.companies ?? []).flatMap((named, index) => {
    const [place, placed] = places.find(([, { company }]) => company === index)!
    if (named.name === own.at(place).company) return []
    return [{ ...named, situation: placed.situation?.name ?? 'none' }]
  })
}
