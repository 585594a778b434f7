import { z } from 'zod'
import { validate } from '../contract/validate.ts'
import type { DemoFixture } from '../fixtures/format-demo.ts'
import { Generate, localesOf, tradesIn } from '../records/generation/generate.ts'
import { acceptedOf } from './command-error.ts'
import { COUNTRIES, LOCALES } from '../contract/locales.ts'
import { SITUATION_NAMES } from '../records/generation/fixture-companies.ts'
import type { FixtureCompany } from '../records/generation/fixture-companies.ts'
import type { World } from './world.ts'

interface DemoOptions {
  /** Options that the demo is generated from; names may be omitted. */
  generate: Generate
  /** Seed of the demo's world; omitted names depend on it. */
  seed: string
  now?: string | undefined
}

/** Creates the demo as a fixture that the user can edit. Omitted names are the demo's own. */
export async function createDemoFixture({
  generate,
  seed,
  now,
}: DemoOptions): Promise<DemoFixture> {
  const { withShowcaseNames } = await import('../records/generation/examples.ts')
  const { agencies: _one, agency, companies, ...figures } = await withShowcaseNames(generate, seed)
  return {
    version: 1,
    ...(now !== undefined && { now }),
    generate: { ...figures, agency, companies },
  }
}

const { agency, companies, locale: Locales } = Generate.shape

/** The locale and the names that a user chooses for the demo. */
export const DemoNames = z.strictObject({
  locale: Locales.unwrap()
    .optional()
    .describe('The country of the demo, or a list of several; if omitted, that of the world'),
  agency,
  companies,
})

/** The demo with names, and the options of the form that asks for names. */
export const NamedDemo = z.strictObject({
  names: DemoNames.required().describe("The names, without companies of the demo's own"),
  locales: z.array(z.enum(LOCALES)).describe('All locales'),
  countries: z.array(z.string()).describe('Their countries, in the same order'),
  trades: z.array(z.string()).describe('Names of the trades in this locale'),
  situations: z.array(z.string()).describe('Situations of the first companies, in order'),
  yaml: z.string().describe('The fixture, as written by `seo-sandbox generate --demo`'),
})

export type NamedDemo = z.output<typeof NamedDemo>

/** Returns the locale of a generated world; for other worlds, that of the first project's country, or the default. */
export function worldLocale({ generation, records }: World): Generate['locale'] {
  if (generation) return generation.options.locale
  const country = records.get('countries', records.all('projects')[0]?.country ?? 0)
  return LOCALES.find((locale) => COUNTRIES[locale].label === country?.label) ?? 'en'
}

/** Returns the companies that the fixture of a demo names, without the demo's own; an empty list for any other world. */
export async function companiesOf({ generation }: World): Promise<FixtureCompany[]> {
  if (!generation?.options.showcase) return []
  const { namedCompanies } = await import('../records/generation/examples.ts')
  return namedCompanies(generation.options, generation.seed)
}

/**
 * Creates the demo with these names, for the seed of a world.
 *
 * @throws CommandError if names clash, or a trade is unknown.
 */
export async function nameDemo(
  demo: Generate,
  names: Pick<Generate, 'locale' | 'agency' | 'companies'>,
  seed: string,
): Promise<NamedDemo> {
  const fixture = await createDemoFixture({ generate: { ...demo, ...names }, seed })
  const { generate } = fixture
  acceptedOf(validate(Generate, generate))
  return {
    names: NamedDemo.shape.names.parse({ ...names, agency: generate.agency }),
    locales: [...LOCALES],
    countries: LOCALES.map((locale) => COUNTRIES[locale].label),
    trades: tradesIn(localesOf(names)),
    situations: [...SITUATION_NAMES],
    yaml: await formatDemoFixture(fixture, SCHEMA_FILE),
  }
}

/** Path of the schema for editors, in a project that has installed the package. */
export const SCHEMA_FILE = './node_modules/seo-sandbox/fixtures/schema.json'

/** Formats a fixture as YAML, with comments that explain it. `schema` is the path of its JSON Schema. */
export async function formatDemoFixture(fixture: DemoFixture, schema: string): Promise<string> {
  const { formatDemo } = await import('../fixtures/format-demo.ts')
  return formatDemo(
    fixture,
    [
      `yaml-language-server: $schema=${schema}`,
      'The demo with names of your own. Reports progress with the world clock, as in the demo.',
    ],
    [
      'Only a name is required. The first five companies have the situations of the demo, in this order:',
      `${SITUATION_NAMES.join(', ')}. To choose, write situation: with one of these, or none.`,
      `A trade is one of: ${tradesIn(localesOf({ locale: fixture.generate.locale ?? 'en' })).join(', ')}.`,
      'Without one, it is recognised by the keywords or the name; otherwise texts fit any business.',
    ],
  )
}
