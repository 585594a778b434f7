import { MAXIMUM_PROJECTS } from '../contract/limits.ts'
import { seenIn } from '../contract/policies.ts'
import type { Fixtures } from '../fixtures/read-sources.ts'
import type { Seed } from '../fixtures/seed.ts'
import { noteSource } from '../fixtures/source.ts'
import { GivenValues } from '../journal/bearer-finder.ts'
import type { WorldSource, StatedSource } from '../world/isolated-worlds.ts'
import { completeSettings, WORLD_OPTION_NAMES } from '../world/options/table.ts'
import type { PartialSettings } from '../world/options/table.ts'
import type { ScenarioLibrary } from '../world/world-state.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { WorldsOptions } from '../world/worlds.ts'
import { machineNow } from './machine-clock.ts'
import type { SandboxOptions } from './sandbox.ts'

/** Options for starting worlds, in this process or over a store. */
export interface StartedWorlds extends Omit<WorldsOptions, 'onCreate' | 'maximumWorlds'> {
  /** Generation options that also apply to fixtures that the default world loads later; empty without `generate`. */
  stated: Pick<WorldSource, 'generate' | 'locale'>
  /** Settings that the options name, without defaults. `isSource` is true if the options also choose a source of records. */
  explicit: { settings: PartialSettings; isSource: boolean }
  /** Maximum size of the heap, in bytes. */
  heapLimit: number
}

/**
 * Reads the options for starting the worlds of a sandbox.
 *
 * @param extra Names of options that the caller reads itself.
 * @throws FixtureError with every problem of the fixtures, OptionError for an invalid option.
 */
export async function readWorldsOptions(
  options: SandboxOptions,
  extra: readonly string[] = [],
): Promise<StartedWorlds> {
  const fixtures = await options.fixtures
  const explicitSettings = await readSettings(options, [...WORLD_OPTION_NAMES, ...extra])
  const settings = completeSettings(explicitSettings)
  const { generate, locale } = options
  const stated = generate === undefined ? {} : { generate, locale }
  return {
    base: {
      id: DEFAULT_WORLD,
      tokenSuffix: '',
      givenValues: new GivenValues(),
      maximumGenerated: MAXIMUM_PROJECTS,
      settings,
      seenPolicies: seenIn(options.policies),
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
    explicit: { settings: explicitSettings, isSource: isStated(fixtures, options) },
    createSecret,
    heapLimit: heapLimit(),
  }
}

/** Reads the settings. Their parser is loaded only if there are options. @throws OptionError */
async function readSettings(
  options: SandboxOptions,
  known: readonly string[],
): Promise<PartialSettings> {
  if (Object.keys(options).length === 0) return {}
  const { parseSettings } = await import('../world/options/parse-settings.ts')
  return parseSettings(options, known, 'createSandbox')
}

const SECRET_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const SECRET_LENGTH = 16

function createSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))
  return Array.from(bytes, (byte) => SECRET_ALPHABET[byte % SECRET_ALPHABET.length]).join('')
}

/** Returns the seed that options choose; that of the default world if they choose none. @throws FixtureError, OptionError */
export async function readSeed(
  fixtures: Fixtures | undefined,
  source: StatedSource,
): Promise<Seed> {
  if (!isStated(fixtures, source)) return loadDefault()
  const { readStatedSeed } = await import('./stated-seeds.ts')
  return readStatedSeed(fixtures, source)
}

/** True if the options request anything but the default world. */
function isStated(
  fixtures: Fixtures | undefined,
  { demo = false, scenario, generate, locale }: StatedSource,
): boolean {
  return demo || [fixtures, scenario, generate, locale].some((part) => part !== undefined)
}

/**
 * Returns the seed of the default world. It was validated when its module was generated, so loading it costs no more than an
 * import.
 */
async function loadDefault(): Promise<Seed> {
  const { DEFAULT_SEED } = await import('../fixtures/default-seed.ts')
  return noteSource(DEFAULT_SEED, {})
}

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

/** Globals of Node that browsers lack. */
interface NodeGlobals {
  process?: {
    getBuiltinModule?: (
      name: 'node:v8',
    ) => { getHeapStatistics: () => { heap_size_limit: number } } | undefined
  }
}

/** Assumed maximum size of the heap if it is unknown, as in browsers. */
const DEFAULT_HEAP_BYTES = 1024 * 2 ** 20

/** Returns the maximum size of the heap, in bytes, which `--max-old-space-size` sets. */
function heapLimit(): number {
  const { process } = globalThis as NodeGlobals
  const statistics = process?.getBuiltinModule?.('node:v8')?.getHeapStatistics()
  return statistics?.heap_size_limit ?? DEFAULT_HEAP_BYTES
}
