import type { Fixtures } from '../fixtures/read-sources.ts'
import { GivenValues } from '../journal/given-values.ts'
import { MAXIMUM_PROJECTS } from '../records/generation/maximums.ts'
import type { WorldSource } from '../world/isolated-options.ts'
import { WORLD_OPTION_NAMES } from '../world/options/flags.ts'
import { completeSettings } from '../world/options/settings.ts'
import type { PartialSettings } from '../world/options/settings.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { WorldsOptions } from '../world/worlds.ts'
import { heapLimit } from './heap-limit.ts'
import { machineNow } from './machine-clock.ts'
import type { SandboxOptions } from './sandbox.ts'
import { isStated, readSeed, SCENARIO_LIBRARY } from './seeds.ts'

/** How worlds start, in this process and over a store. */
export interface StartedWorlds extends Omit<WorldsOptions, 'onCreate' | 'maximumWorlds'> {
  /** The options with which fixtures that the default world loads later are generated. */
  stated: Pick<WorldSource, 'generate' | 'locale'>
  /** What the options say themselves. */
  given: { settings: PartialSettings; isSource: boolean }
  /** The maximum size of the heap, in bytes. */
  heapLimit: number
}

/**
 * How the worlds of a sandbox with these options start.
 *
 * @throws FixtureError with every problem of the fixtures, OptionError for an invalid option.
 */
export async function readWorldsOptions(options: SandboxOptions): Promise<StartedWorlds> {
  const fixtures = await options.fixtures
  const given = await readSettings(options)
  const settings = completeSettings(given)
  const { generate, locale } = options
  const stated = generate === undefined ? {} : { generate, locale }
  return {
    base: {
      id: DEFAULT_WORLD,
      tokenSuffix: '',
      givenValues: new GivenValues(),
      maximumGenerated: MAXIMUM_PROJECTS,
      settings,
      seed: await readSeed(fixtures, options),
      readFixtures: (others) => readSeed(others as Fixtures, stated),
      scenarios: SCENARIO_LIBRARY,
      journalSize: settings.journal,
      realNow: machineNow,
      timer: () => performance.now(),
      errors: {},
    },
    readSeed: ({ fixtures: others, ...source }) => readSeed(others as Fixtures | undefined, source),
    stated,
    given: { settings: given, isSource: isStated(fixtures, options) },
    createSecret,
    heapLimit: heapLimit(),
  }
}

/** Loaded on demand: without options there is nothing to validate. @throws OptionError */
async function readSettings(options: SandboxOptions): Promise<PartialSettings> {
  if (Object.keys(options).length === 0) return {}
  const { parseSettings } = await import('../world/options/parse-settings.ts')
  return parseSettings(options, WORLD_OPTION_NAMES, 'createSandbox')
}

const SECRET_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const SECRET_LENGTH = 16

function createSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))
  return Array.from(bytes, (byte) => SECRET_ALPHABET[byte % SECRET_ALPHABET.length]).join('')
}
