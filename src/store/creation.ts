import { GivenValues } from '../journal/given-values.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { IsolatedWorldSettings, WorldSource } from '../world/isolated-options.ts'
import type { WorldSettings } from '../world/options/settings.ts'
import type { WorldOptions } from '../world/world-state.ts'

/** How a world was created, with every option resolved, so that nothing depends on the replica that continues it. */
export interface Creation {
  id: string
  token_suffix: string
  /** The digest of its seed. */
  seed: string
  settings: WorldSettings
  /** The options with which fixtures that it loads later are generated. */
  stated: Pick<IsolatedWorldSettings, 'generate' | 'locale'>
  maximum_generated: number
  journal_size: number
  /** How long it is kept while unused; null for ever. */
  idle_ms: number | null
}

/** How the worlds of a store start and run in this process. */
export interface StartOptions {
  scenarios: WorldOptions['scenarios']
  readSeed: (source: WorldSource) => Promise<Seed>
  /** Secrets that no world may show; the same for all replicas of a store. */
  hidden: readonly string[]
}

/** What a replica creates or resumes a world with: the same in every replica of its store. */
export function toWorldOptions(
  creation: Creation,
  seed: Seed,
  { scenarios, hidden }: StartOptions,
  { realNow, order, errors }: Required<Pick<WorldOptions, 'realNow' | 'order' | 'errors'>>,
): Omit<WorldOptions, 'timer'> {
  const givenValues = new GivenValues()
  for (const value of hidden) givenValues.addForGood(value)
  return {
    id: creation.id,
    tokenSuffix: creation.token_suffix,
    suffixesAll: true,
    givenValues,
    maximumGenerated: creation.maximum_generated,
    seed,
    settings: creation.settings,
    scenarios,
    readFixtures: () => {
      throw new TypeError('Fixtures are read before they are in a log.')
    },
    journalSize: creation.journal_size,
    realNow,
    order,
    errors,
  }
}
