import type { z } from 'zod'
import type { Seed } from '../fixtures/seed.ts'
import type { Generate } from '../records/generation/generate.ts'
import type { Locale } from '../records/generation/locales.ts'
import { completeSettings } from './options/settings.ts'
import type { PartialSettings } from './options/settings.ts'
import type { WorldOptions } from './world-state.ts'

/** How many requests the journal of an isolated world keeps at most. */
const MAXIMUM_JOURNAL = 1000

/** The most projects that an isolated world may generate. */
const MAXIMUM_GENERATED = 1000

/** Where the records of a world come from, as for a sandbox. */
export interface WorldSource {
  fixtures?: string | object | undefined
  scenario?: string | undefined
  demo?: boolean | undefined
  generate?: z.input<typeof Generate> | undefined
  locale?: Locale | readonly Locale[] | undefined
}

/** Fields of a request that describe a world besides its fixtures, not yet checked. */
export interface StatedSource extends Pick<WorldSource, 'scenario' | 'demo'> {
  generate?: unknown
  locale?: unknown
}

/** The settings of an isolated world; those omitted are as in the default world. */
export interface IsolatedWorldSettings extends WorldSource {
  settings?: PartialSettings | undefined
  /** How long it is kept while unused, by the machine's clock; unlimited where omitted. */
  idleMs?: number | undefined
}

/** What isolated worlds take from the default one. */
interface DefaultWorld {
  base: Pick<WorldOptions, 'settings' | 'readFixtures' | 'journalSize'>
  readSeed: (source: WorldSource) => Promise<Seed>
  preset: Seed
}

/**
 * The options of an isolated world. Omitted settings are taken from the default world, and so is the seed, `preset`, where no
 * source is given.
 *
 * @throws FixtureError or OptionError for an invalid source.
 */
export async function toIsolatedOptions(
  { settings = {}, ...source }: Omit<IsolatedWorldSettings, 'idleMs'>,
  { base, readSeed, preset }: DefaultWorld,
): Promise<Pick<WorldOptions, 'maximumGenerated' | 'seed' | keyof DefaultWorld['base']>> {
  const isAsDefault = Object.values(source).every((value) => value === undefined)
  return {
    seed: isAsDefault ? preset : await readSeed(source),
    settings: completeSettings(settings, base.settings),
    readFixtures: isAsDefault
      ? base.readFixtures
      : (fixtures) => {
          const { generate, locale } = source
          return readSeed({ fixtures, ...(generate && { generate, locale }) })
        },
    maximumGenerated: MAXIMUM_GENERATED,
    journalSize: Math.min(base.journalSize, MAXIMUM_JOURNAL),
  }
}
