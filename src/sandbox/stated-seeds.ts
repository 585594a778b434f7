import { memoize } from '../contract/cache.ts'
import type { Seed } from '../fixtures/seed.ts'
import { Generate } from '../records/generation/generate.ts'
import type { parseFixtures } from '../fixtures/parse-fixture.ts'
import type { Fixtures } from '../fixtures/read-sources.ts'
import { SCENARIOS } from '../fixtures/scenarios/index.ts'
import type { ScenarioName } from '../fixtures/scenarios/index.ts'
import { OptionError } from '../world/option-error.ts'
import { parseOption } from '../world/parse-option.ts'
import { LargeInput } from '../world/large-input.ts'
import { Scenario } from '../world/option-schemas.ts'

/** What is stated of a world besides its fixtures. */
export type StatedSource = Parameters<LargeInput['readSeed']>[0]

/** The initial world where it is stated: a scenario, or fixtures and what to generate. */
export async function readStatedSeed(
  fixtures: Fixtures | LargeInput | undefined,
  { scenario, generate }: StatedSource,
): Promise<Seed> {
  if (fixtures instanceof LargeInput) return fixtures.readSeed({ scenario, generate })
  if (scenario !== undefined) {
    if (fixtures === undefined && generate === undefined) return loadScenario(scenario)
    throw new OptionError(
      'scenario: A scenario is a whole world. Leave fixtures and generate out, or the scenario.',
    )
  }
  const read = fixtures ?? { version: 1 }
  if (generate === undefined) return readFixtures(read)
  return readFixtures(read, (stated) => {
    const requested: unknown = typeof generate === 'object' ? { ...stated, ...generate } : generate
    return parseOption(Generate, requested, 'generate')
  })
}

/** Loaded on demand: only fixtures need them. */
const readFixtures: typeof parseFixtures = async (...fixtures) => {
  const { parseFixtures: parse } = await import('../fixtures/parse-fixture.ts')
  return parse(...fixtures)
}

/** The scenarios by name, for the control API. */
export function listScenarios(): { name: string; purpose: string }[] {
  return Object.entries(SCENARIOS).map(([name, { purpose }]) => ({ name, purpose }))
}

/** Each scenario is read once: seeds are immutable, and worlds of the same seed share its records. */
const readScenario = memoize((name: ScenarioName) =>
  SCENARIOS[name].load().then((text) => readFixtures(text)),
)

/** The world of a scenario. @throws OptionError for an unknown name. */
export async function loadScenario(name: string): Promise<Seed> {
  return readScenario(parseOption(Scenario, name, 'scenario'))
}
