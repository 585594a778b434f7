import { z } from 'zod'
import { LOCALES } from './locales.ts'

const Name = z
  .string()
  .regex(/^\S+(?: \S+)*$/, 'Write a name on one line, with single spaces between its words.')

/** A name in an address. */
const Slug = z
  .string()
  .regex(
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    'Write words of lower-case ASCII, with hyphens between them.',
  )

/** A list of names, or a map from names to their Latin forms, if `toSlug` gives another form to one of them. */
function atLeast(count: number) {
  return z
    .union([z.array(Name), z.record(Name, Slug)])
    .refine((names) => Object.keys(names).length >= count, `Write at least ${count} names.`)
}

const Struck = z.array(Name).optional()

/** Names of a country: a file of fixtures/names. */
export const Names = z.strictObject({
  country: z.strictObject({
    id: z.int().positive().describe('Its id in generated worlds, which no other country has'),
    label: Name.describe('Its name in English'),
  }),
  texts: z.enum(LOCALES).describe('The language of its projects’ texts'),
  first_names: atLeast(40).describe('First names of women and men'),
  surnames: atLeast(60).describe('Surnames, in the form of men if there are two'),
  cities: atLeast(12).describe('Real cities'),
  streets: z.array(Name).min(40).optional().describe('Names of streets. None if omitted'),
  struck: z
    .strictObject({ first_names: Struck, surnames: Struck, cities: Struck, streets: Struck })
    .optional()
    .describe('Entries of Faker that readers struck out, and that no drawing adds'),
})
