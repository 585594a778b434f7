import { suggest } from '../../contract/suggestion.ts'
import { describe } from '../../contract/describe.ts'
import type { Problem } from '../../contract/validation.ts'
import type { GivenAgency, GivenCompany } from './given.ts'
import { hostOfAgency, hostsOfCompany, withoutWww } from './hosts.ts'
import { NO_TRADE } from './given.ts'
import { LANGUAGES } from './languages/index.ts'
import type { Locale } from './locales.ts'

interface Stated {
  projects: number
  locale: Locale | readonly Locale[]
  agency?: GivenAgency | undefined
  companies?: readonly GivenCompany[] | undefined
}

/** What is wrong with the companies of a world together, each of which is valid by itself. */
export function findClashes(stated: Stated): Problem[] {
  const { projects, companies = [] } = stated
  const tooMany: Problem[] =
    companies.length <= projects
      ? []
      : [
          {
            path: ['companies'],
            message: `There are more companies than projects. Write projects: ${companies.length}, or more, or leave companies out.`,
          },
        ]
  return [
    ...tooMany,
    ...findSharedHosts(stated),
    ...companies.flatMap((company, index) =>
      [...checkTrade(company, stated.locale), ...findRepeated(company)].map((problem) => ({
        ...problem,
        path: ['companies', index, ...problem.path],
      })),
    ),
  ]
}

/** Companies with the same name or the same domain, also where the difference is lost in an address. */
function findSharedHosts({ agency, companies = [] }: Stated): Problem[] {
  const ownerOf = new Map(agency ? [[hostOfAgency(agency), 'the agency']] : [])
  return companies.flatMap((company, index) => {
    const { domain, mailHost } = hostsOfCompany(company, index)
    const hosts = [...new Set([withoutWww(domain), mailHost])]
    const shared = hosts.find((host) => ownerOf.has(host))
    const owner = shared === undefined ? undefined : ownerOf.get(shared)
    for (const host of hosts) if (!ownerOf.has(host)) ownerOf.set(host, `companies[${index}]`)
    if (owner === undefined) return []
    const isOwn =
      company.domain !== undefined && shared === withoutWww(company.domain.toLowerCase())
    const path = ['companies', index, isOwn ? 'domain' : 'name']
    const what = isOwn ? 'domain' : 'name'
    const message = `This ${what} is also that of ${owner}, or gives the same address, ${shared}. Give each a ${what} of its own.`
    return [{ path, message }]
  })
}

/** The trade that it states has to be one of the world's locales, by its name there. */
function checkTrade({ trade }: GivenCompany, locale: Stated['locale']): Problem[] {
  if (trade === undefined || trade === NO_TRADE) return []
  const locales = typeof locale === 'string' ? [locale] : locale
  const names = [...new Set(locales.flatMap((each) => LANGUAGES[each].trades))]
  if (names.some((name) => name.toLowerCase() === trade.toLowerCase())) return []
  const message = `${describe(trade)} is not a trade in ${locales.join(' or ')}. ${suggest(trade, [...names, NO_TRADE])}`
  return [{ path: ['trade'], message }]
}

function findRepeated({ keywords = [] }: GivenCompany): Problem[] {
  const firstOf = new Map<string, number>()
  return keywords.flatMap((keyword, index) => {
    const text = keyword.toLowerCase()
    const first = firstOf.get(text)
    if (first === undefined) {
      firstOf.set(text, index)
      return []
    }
    const message = `This is already keywords[${first}]. Write each keyword once.`
    return [{ path: ['keywords', index], message }]
  })
}
