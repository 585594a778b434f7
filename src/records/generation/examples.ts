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
 * Adds names to the options of a showcase: the name of the agency, if there is only one, and companies for the situations that the
 * fixture gives to no company. Worlds are generated from the result, and `generate --demo` writes it to a file.
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
    // The first company also has a domain and keywords, as an example for the user.
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

/**
 * Returns the companies that a fixture names, each with its situation (`none` for a healthy project). Leaves out a company
 * whose generated name would be the same.
 */
export async function namedCompanies(generate: Generate, seed: string): Promise<FixtureCompany[]> {
  const own = new Companies(await Promise.all(localesOf(generate).map(loadWords)), seed)
  const places = [...placeCompanies(generate)]
  return (generate.companies ?? []).flatMap((named, index) => {
    const [place, placed] = places.find(([, { company }]) => company === index)!
    if (named.name === own.at(place).company) return []
    return [{ ...named, situation: placed.situation?.name ?? 'none' }]
  })
}
