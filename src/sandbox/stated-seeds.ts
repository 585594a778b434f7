import { memoize } from '../contract/cache.ts'
import { readerOf } from '../contract/validate.ts'
import type { Seed } from '../fixtures/seed.ts'
import { noteSource } from '../fixtures/source.ts'
import { Generate } from '../records/generation/generate.ts'
import type { parseFixtures } from '../fixtures/parse-fixture.ts'
import type { Fixtures } from '../fixtures/read-sources.ts'
import type { FixtureFiles } from '../fixtures/source.ts'
import { SCENARIOS } from '../fixtures/scenarios/index.ts'
import type { ScenarioName } from '../fixtures/scenarios/index.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseOption, Switch } from '../world/options/parse-option.ts'
import type { StatedSource } from '../world/isolated-worlds.ts'
import { LocalesOption, ScenarioOption } from '../world/options/validators.ts'

const DEMO = 'demo'

/**
 * Returns the seed that options choose: the demo, a scenario, fixtures, generated data, or the last two together.
 *
 * @throws FixtureError with every problem of the fixtures, OptionError for an invalid option or combination.
 */
export async function readStatedSeed(
  fixtures: Fixtures | undefined,
  source: StatedSource,
): Promise<Seed> {
  const { generate, locale } = source
  const demo = parseOption(Switch, source.demo ?? false, 'demo')
  const scenario = demo && source.scenario === undefined ? DEMO : source.scenario
  if (scenario !== undefined) {
    if (fixtures !== undefined || generate !== undefined || (demo && scenario !== DEMO)) {
      throw new OptionError(refuseSecond(demo))
    }
    const loaded = await loadScenario(scenario)
    return locale === undefined
      ? loaded
      : noteSource(inLocale(loaded, locale), { scenario, locale })
  }
  const seed = await readStatedRecords(fixtures, source)
  return noteSource(seed, {
    ...(fixtures !== undefined && { files: namesOf(fixtures) }),
    ...(generate !== undefined && { generate, locale }),
  })
}

/** Returns the file names of fixtures; null if they do not come from files. */
function namesOf(fixtures: Fixtures): readonly string[] | null {
  const { files } = typeof fixtures === 'string' ? {} : (fixtures as Partial<FixtureFiles>)
  return files?.map(({ name }) => name) ?? null
}

async function readStatedRecords(
  fixtures: Fixtures | undefined,
  source: StatedSource,
): Promise<Seed> {
  const { generate, locale } = source
  if (generate === undefined) {
    if (locale !== undefined) throw new OptionError(NOTHING_GENERATED)
    return readFixtures(fixtures ?? { version: 1 })
  }
  return readFixtures(fixtures ?? { version: 1 }, (inFixture) => {
    const requested: unknown =
      typeof generate === 'object' ? { ...inFixture, ...generate } : generate
    return withLocale(parseOption(readerOf(Generate), requested, 'generate'), locale)
  })
}

function refuseSecond(demo: boolean): string {
  return demo
    ? 'demo: The demo is a whole world. Leave fixtures, scenario and generate out, or the demo.'
    : 'scenario: A scenario is a whole world. Leave fixtures and generate out, or the scenario.'
}

const NOTHING_GENERATED =
  'locale: Only generated data has a locale. Use it with generate or demo; a fixture has it under generate.'

/** Returns the seed of a scenario in another locale. @throws OptionError if nothing in it is generated. */
function inLocale(seed: Seed, locale: unknown): Seed {
  if (!seed.generate) throw new OptionError(NOTHING_GENERATED)
  return { ...seed, generate: withLocale(seed.generate, locale) }
}

/** Returns options that generate data in one or several locales; unchanged if `locale` is undefined. @throws OptionError */
function withLocale(generate: Generate, locale: unknown): Generate {
  if (locale === undefined) return generate
  const [first, ...others] = parseOption(LocalesOption, locale, 'locale')
  return parseOption(
    readerOf(Generate),
    { ...generate, locale: others.length > 0 ? [first, ...others] : first },
    'locale',
  )
}

/** Parses fixtures. The parser is loaded on demand, because only fixtures need it. */
const readFixtures: typeof parseFixtures = async (...fixtures) => {
  const { parseFixtures: parse } = await import('../fixtures/parse-fixture.ts')
  return parse(...fixtures)
}

/** Returns the scenarios by name, for the control API. */
export function listScenarios(): { name: string; purpose: string }[] {
  return Object.entries(SCENARIOS).map(([name, { purpose }]) => ({ name, purpose }))
}

/** Reads each scenario only once: seeds are immutable, and worlds of the same seed share its records. */
const readScenario = memoize(async (name: ScenarioName) => {
  const written = await SCENARIOS[name].load()
  const seed = typeof written === 'string' ? await readFixtures(written) : written
  return noteSource(seed, { scenario: name })
})

/** Returns the seed of a scenario. @throws OptionError for an unknown name. */
export async function loadScenario(name: string): Promise<Seed> {
  return readScenario(parseOption(ScenarioOption, name, 'scenario'))
}
