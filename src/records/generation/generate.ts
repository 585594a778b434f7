import { z } from 'zod'
import { describe } from '../../contract/describe.ts'
import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import { MAXIMUM_AGENCIES, MAXIMUM_KEYWORDS, MAXIMUM_PROJECTS } from './maximums.ts'

/** The languages that generated projects may be written in. */
const LOCALES = ['da', 'de', 'en', 'nl', 'sv'] as const

export type Locale = (typeof LOCALES)[number]

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

/** What a fixture may have generated: a world from a seed, the same one on every machine. */
export const Generate = z.strictObject({
  projects: ProjectCount.default(24),
  agencies: z
    .int()
    .min(1)
    .max(MAXIMUM_AGENCIES)
    .default(3)
    .describe('How many agencies, where the fixture has none of its own'),
  keywords: spread(MAXIMUM_KEYWORDS, 'Keywords of each project').default({ min: 6, max: 24 }),
  reports: spread(LAST_REPORT_NUMBER, 'Reports of each project that are due so far').default({
    min: 1,
    max: 18,
  }),
  locale: z
    .enum(LOCALES)
    .meta({ title: 'locale' })
    .default('en')
    .describe('The language of names, keywords and texts'),
})
export type Generate = z.infer<typeof Generate>

/** The first id of generated projects; those of their keywords and reports begin with the project's. */
export const FIRST_PROJECT_ID = 1001
export const KEYWORDS_PER_PROJECT = 1000
export const REPORTS_PER_PROJECT = 100

const IDS_PER_PROJECT = {
  projects: 1,
  keywords: KEYWORDS_PER_PROJECT,
  reports: REPORTS_PER_PROJECT,
}

/** Whether an id is reserved for generated records. */
export function isGeneratedId(
  collection: string,
  id: number,
  { projects }: Pick<Generate, 'projects'>,
): boolean {
  if (!Object.hasOwn(IDS_PER_PROJECT, collection)) return false
  const project = Math.floor(id / IDS_PER_PROJECT[collection as keyof typeof IDS_PER_PROJECT])
  return project >= FIRST_PROJECT_ID && project < FIRST_PROJECT_ID + projects
}
