import type { z } from 'zod'
import { formatDemo } from '../fixtures/format-demo.ts'
import type { DemoFixture } from '../fixtures/format-demo.ts'
import type { Generate } from '../records/generation/generate.ts'
import { localesOf } from '../records/generation/generate.ts'
import { LANGUAGES } from '../records/generation/languages/index.ts'
import { SITUATION_NAMES } from '../records/generation/situation-names.ts'

interface DemoOptions {
  /** What the demo is generated from, with names or without. */
  generate: Generate
  /** Of the world that it is for: its names are those without names of one's own. */
  seed: string
  now?: string | undefined
}

/** The demo as a fixture: with names that are given, otherwise with its own ones, to be changed. */
export async function createDemoFixture({
  generate,
  seed,
  now,
}: DemoOptions): Promise<DemoFixture> {
  const { exampleNames } = await import('../records/generation/examples.ts')
  const names = await exampleNames(generate, seed)
  const { agency = names.agency, companies = names.companies.map(toExample), ...rest } = generate
  const { agencies: _one, ...figures } = rest
  return {
    version: 1,
    ...(now !== undefined && { now }),
    generate: { ...figures, agency, companies },
  }
}

type Company = NonNullable<z.input<typeof Generate>['companies']>[number]

/** The first example shows every field, the others the usual ones. */
function toExample(company: Company, index: number): Company {
  const { name, city, trade } = company
  return index === 0 ? company : { name, city, trade }
}

/** The same as a file that explains itself. */
export function formatDemoFixture(fixture: DemoFixture, schema: string): string {
  const locales = localesOf({ locale: fixture.generate.locale ?? 'en' })
  const trades = [...new Set(locales.flatMap((locale) => LANGUAGES[locale].trades))]
  return formatDemo(
    fixture,
    [
      `yaml-language-server: $schema=${schema}`,
      'The demo with names of your own. Reports progress with the world clock, as in the demo.',
    ],
    [
      'Only a name is required. The first five companies show what the demo shows, in this order:',
      `${SITUATION_NAMES.join(', ')}. To choose, write situation: with one of these, or none.`,
      `A trade is one of: ${trades.join(', ')}.`,
      'Without one, the keywords or the name tell it; otherwise texts fit any business.',
    ],
  )
}
