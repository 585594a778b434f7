import { z } from 'zod'

const Name = z
  .string()
  .regex(/^\S+(?: \S+)*$/, 'Write a name on one line, with single spaces between its words.')

/** A name in Latin letters, as in host names and e-mail addresses. */
const Slug = z
  .string()
  .regex(
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    'Write words of lower-case ASCII, with hyphens between them.',
  )

/** A list of names, or a map from names to their Latin forms if `toSlug` would get any of these wrong. */
const List = z.union([z.array(Name), z.record(Name, Slug)])

function countNames(...lists: z.infer<typeof List>[]): number {
  return lists.reduce((sum, list) => sum + Object.keys(list).length, 0)
}

function atLeast(count: number) {
  return List.refine((names) => countNames(names) >= count, `Write at least ${count} names.`)
}

/** Creates a schema for a string that contains each of `fields`, in braces, exactly once. */
function template(...fields: string[]) {
  const isComplete = (text: string) =>
    fields.every((field) => text.split(`{${field}}`).length === 2)
  return z.string().refine(isComplete, `Write {${fields.join('} and {')}} once.`)
}

const Struck = z.array(Name).optional()

/** The names of a country, as written in a file of fixtures/names. */
export const NamesFile = z.strictObject({
  country: z.strictObject({
    id: z
      .int()
      .positive()
      .describe('Id of the country in generated worlds, unique among countries'),
    label: Name.describe('English name of the country'),
  }),
  texts: z.string().describe('The locale of its projects’ texts'),
  prices: z
    .literal(true)
    .optional()
    .describe('True for the currency of the texts. They state no prices if omitted'),
  address: template('street', 'number').optional().describe('Same as in the texts if omitted'),
  full_name: template('first_name', 'surname')
    .optional()
    .describe('`{first_name} {surname}` if omitted'),
  feminine: z
    .record(z.string(), z.string())
    .optional()
    .describe('Endings of women’s surnames by those of men’s; the longest match applies'),
  spellings: z
    .record(z.string(), z.string())
    .optional()
    .describe('Replacements in the texts by regular expression, in order'),
  first_names: z
    .strictObject({ women: List, men: List })
    .refine(({ women, men }) => countNames(women, men) >= 40, 'Write at least 40 names.'),
  surnames: atLeast(60).describe('Surnames, in the masculine form if there are two'),
  cities: atLeast(12).describe('Real cities'),
  streets: z
    .array(Name)
    .min(40)
    .optional()
    .describe('Names of streets. Texts name no street if omitted'),
  struck: z
    .strictObject({
      first_names: Struck,
      surnames: Struck,
      cities: Struck,
      streets: Struck,
      texts: Struck.describe('Parts of names, services and paragraphs that are left out here'),
    })
    .optional()
    .describe('Entries that readers struck out and that drawing never adds'),
})

export type NamesFile = z.infer<typeof NamesFile>

/**
 * The names of a country, as in the module generated from its file. `slugs` has the Latin forms that `toSlug` would get wrong;
 * `struck` has the parts of texts to leave out.
 */
export type CountryNames = Omit<
  NamesFile,
  'texts' | 'first_names' | 'surnames' | 'cities' | 'struck'
> & {
  first_names: { women: readonly string[]; men: readonly string[] }
  surnames: readonly string[]
  cities: readonly string[]
  slugs: Readonly<Record<string, string>>
  struck: readonly string[]
}
