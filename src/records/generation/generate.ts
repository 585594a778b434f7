import { z } from 'zod'
import { describe } from '../../contract/describe.ts'
import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import { LOCALES } from './locales.ts'
import type { Locale } from './locales.ts'
import { GivenAgency, GivenCompany } from './given.ts'
import { findClashes } from './clashes.ts'
import {
  MAXIMUM_AGENCIES,
  MAXIMUM_COMPANIES,
  MAXIMUM_KEYWORDS,
  MAXIMUM_PROJECTS,
} from './maximums.ts'

/** Locales without repetition: one that is listed twice would be used twice as often. */
const Locales = z
  .array(z.enum(LOCALES))
  .min(1)
  .refine((list) => new Set(list).size === list.length, 'A locale is listed twice. List each once.')

const ProjectCount = z
  .int()
  .min(0)
  .max(MAXIMUM_PROJECTS)
  .describe('How many projects, over all agencies')

/** One figure for every project, or the bounds of each project's own figure. */
function spread(maximum: number, noun: string) {
  const Figure = z.int().min(0).max(maximum)
  return z
    .union(
      [
        Figure,
        z
          .strictObject({ min: Figure.describe('The least'), max: Figure.describe('The most') })
          .refine(({ min, max }) => min <= max, 'The minimum is above the maximum.'),
      ],
      {
        error: ({ input }) =>
          `${describe(input)} is not a whole number. Write one from 0 to ${maximum}, or { min: 1, max: ${maximum} }.`,
      },
    )
    .describe(`${noun}: a number, or { min, max }`)
}

/** What a fixture may have generated: a world from a seed, the same on every machine. */
export const Generate = z
  .strictObject({
    projects: ProjectCount.default(24),
    agencies: z
      .int()
      .min(1)
      .max(MAXIMUM_AGENCIES)
      .default(3)
      .describe('How many agencies, where the fixture has none of its own'),
    agency: GivenAgency.optional().describe('The agency by its name: there is one then'),
    companies: z
      .array(GivenCompany)
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
          `${describe(input)} is not a locale. Use one of: ${LOCALES.join(', ')}; or several, as a list.`,
      })
      .default('en')
      .describe('The country and language of projects and agencies, or a list of several'),
    variety: z
      .boolean()
      .default(false)
      .describe(
        'Whether statuses and plans of projects, `gsc_status` and content schemes also have values that the specification does not name',
      ),
    showcase: z
      .boolean()
      .default(false)
      .describe(
        'Whether five projects, of forty or of the first five, show something at the start: a report that is late, one that has failed, one just finished, a new project and a paused one; all others are healthy then',
      ),
  })
  .superRefine((generate, context) => {
    for (const { path, message } of findClashes(generate)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
export type Generate = z.infer<typeof Generate>

/** The locales of a world, each once. */
export function localesOf({ locale }: Pick<Generate, 'locale'>): readonly Locale[] {
  return typeof locale === 'string' ? [locale] : locale
}
