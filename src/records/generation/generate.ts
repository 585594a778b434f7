import { z } from 'zod'
import {
  LAST_REPORT_NUMBER,
  MAXIMUM_AGENCIES,
  MAXIMUM_COMPANIES,
  MAXIMUM_KEYWORDS,
  MAXIMUM_PROJECTS,
} from '../../contract/limits.ts'
import { suggest } from '../../contract/suggestion.ts'
import { describe } from '../../contract/text.ts'
import type { Problem } from '../../contract/validation.ts'
import { FixtureAgency, FixtureCompany, NO_TRADE } from './fixture-companies.ts'
import { LANGUAGES } from './languages/index.ts'
import { COUNTRIES, LOCALES } from '../../contract/locales.ts'
import type { Locale } from '../../contract/locales.ts'
import { hostOfAgency, hostsOfCompany, withoutWww } from './slug.ts'

/** Repetition is refused, because a repeated locale would be used twice as often. */
const Locales = z
  .array(z.enum(LOCALES))
  .min(1)
  .refine((list) => new Set(list).size === list.length, 'A locale is listed twice. List each once.')

const ProjectCount = z
  .int()
  .min(0)
  .max(MAXIMUM_PROJECTS)
  .describe('Number of projects over all agencies')

/** Creates a schema for a figure: one number for all projects, or the bounds from which each project draws its own. */
function spread(maximum: number, noun: string) {
  const Figure = z.int().min(0).max(maximum)
  return z
    .union(
      [
        Figure,
        z
          .strictObject({
            min: Figure.describe('The minimum'),
            max: Figure.describe('The maximum'),
          })
          .refine(({ min, max }) => min <= max, 'The minimum is above the maximum.'),
      ],
      {
        error: ({ input }) =>
          `${describe(input)} is not a whole number. Write one from 0 to ${maximum}, or { min: 1, max: ${maximum} }.`,
      },
    )
    .describe(`${noun}: a number, or { min, max }`)
}

/** Options of the generated part of a fixture. The same seed and options give the same world on every machine. */
export const Generate = z
  .strictObject({
    projects: ProjectCount.default(24),
    agencies: z
      .int()
      .min(1)
      .max(MAXIMUM_AGENCIES)
      .default(3)
      .describe('Number of agencies, if the fixture has none of its own'),
    agency: FixtureAgency.optional().describe('The only agency, by its name'),
    companies: z
      .array(FixtureCompany)
      .max(MAXIMUM_COMPANIES)
      .optional()
      .describe(
        'Companies by their names, in place of generated ones; in a showcase the first five have its situations',
      ),
    keywords: spread(MAXIMUM_KEYWORDS, 'Keywords of each project').default({ min: 6, max: 24 }),
    reports: spread(LAST_REPORT_NUMBER, 'Reports of each project that are due so far').default({
      min: 1,
      max: 18,
    }),
    locale: z
      .union([z.enum(LOCALES), Locales], {
        error: ({ input }) =>
          `${describe(input)} is not a locale. ${suggest(String(input), LOCALES)} Write several as a list.`,
      })
      .default('en')
      .describe('The country and language of projects and agencies, or a list of several'),
    variety: z
      .boolean()
      .default(false)
      .describe(
        'True to include values that the specification does not name, in `gsc_status` and in the statuses, plans and content schemes of projects',
      ),
    showcase: z
      .boolean()
      .default(false)
      .describe(
        'True to have five projects, of forty or of the first five, each show a situation at the start: a late report, a failed one, one just finished, a new project and a paused one. All other projects are then healthy',
      ),
  })
  .superRefine((generate, context) => {
    for (const { path, message } of findClashes(generate)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
export type Generate = z.infer<typeof Generate>

export function localesOf({ locale }: Pick<CompanyInput, 'locale'>): readonly Locale[] {
  return typeof locale === 'string' ? [locale] : locale
}

/** Returns the names of all trades in the languages of these locales, without repetition. */
export function tradesIn(locales: readonly Locale[]): string[] {
  return [...new Set(locales.flatMap((locale) => LANGUAGES[COUNTRIES[locale].texts].trades))]
}

interface CompanyInput {
  projects: number
  locale: Locale | readonly Locale[]
  agency?: FixtureAgency | undefined
  companies?: readonly FixtureCompany[] | undefined
}

/** Returns the problems of companies that the schema of a single company does not check. */
function findClashes(input: CompanyInput): Problem[] {
  const { projects, companies = [] } = input
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
    ...findSharedHosts(input),
    ...companies.flatMap((company, index) =>
      [...checkTrade(company, input.locale), ...findRepeated(company)].map((problem) => ({
        ...problem,
        path: ['companies', index, ...problem.path],
      })),
    ),
  ]
}

/**
 * Returns the problems of companies that share a host with the agency or with an earlier company. Different names may give the same
 * host, because hosts may contain fewer kinds of characters.
 */
function findSharedHosts({ agency, companies = [] }: CompanyInput): Problem[] {
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

function checkTrade({ trade }: FixtureCompany, locale: CompanyInput['locale']): Problem[] {
  if (trade === undefined || trade === NO_TRADE) return []
  const locales = localesOf({ locale })
  const names = tradesIn(locales)
  if (names.some((name) => name.toLowerCase() === trade.toLowerCase())) return []
  const message = `${describe(trade)} is not a trade in ${locales.join(' or ')}. ${suggest(trade, [...names, NO_TRADE])}`
  return [{ path: ['trade'], message }]
}

function findRepeated({ keywords = [] }: FixtureCompany): Problem[] {
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
