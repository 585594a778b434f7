import type { Fixtures } from '../fixtures/read-sources.ts'
import type { Seed } from '../fixtures/seed.ts'
import { noteSource } from '../fixtures/seed-source.ts'
import type { StatedSource } from '../world/isolated-options.ts'
import type { ScenarioLibrary } from '../world/world-state.ts'

/** The initial world: the demo, a scenario, fixtures, or the default one, and what to generate. */
export async function readSeed(
  fixtures: Fixtures | undefined,
  source: StatedSource,
): Promise<Seed> {
  if (!isStated(fixtures, source)) return loadDefault()
  const { readStatedSeed } = await import('./stated-seeds.ts')
  return readStatedSeed(fixtures, source)
}

/** Whether anything but the default world is asked for. */
export function isStated(
  fixtures: Fixtures | undefined,
  { demo = false, scenario, generate, locale }: StatedSource,
): boolean {
  return demo || [fixtures, scenario, generate, locale].some((part) => part !== undefined)
}

/** The default world, which was validated when its module was generated, so that starting is as cheap as an import. */
async function loadDefault(): Promise<Seed> {
  const { DEFAULT_SEED } = await import('../fixtures/default-seed.ts')
  return noteSource(DEFAULT_SEED, {})
}

/** The scenarios by name, loaded on demand. */
export const SCENARIO_LIBRARY: ScenarioLibrary = {
  list: async () => {
    const { listScenarios } = await import('./stated-seeds.ts')
    return listScenarios()
  },
  load: async (name) => {
    const { loadScenario } = await import('./stated-seeds.ts')
    return loadScenario(name)
  },
}
