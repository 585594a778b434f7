import { z } from 'zod'
import { COLLECTION_NAMES } from '../contract/collection-facts.ts'
import { DateTime } from '../contract/conventions.ts'
import { resolvePolicies } from '../contract/policies.ts'
import type { Policies } from '../contract/policies.ts'
import { sourceOf } from '../fixtures/source.ts'
import type { SeedSource } from '../fixtures/source.ts'
import type { ArmedFault } from './faults/fault.ts'
import { bodyNameOf, DEFAULT_SETTINGS, optionOf, SETTING_NAMES } from './options/table.ts'
import type { SettingName } from './options/table.ts'
import type { World } from './world.ts'

/** Source and options with which an equivalent world can be created. */
export const WorldOrigin = z.strictObject({
  options: z
    .record(z.string(), z.unknown())
    .describe(
      'Options of POST `/_sandbox/worlds` that differ from their defaults, without `fixtures`, `now` and `frozen`; a reset returns to them',
    ),
  policies: z
    .record(z.string(), z.string())
    .describe('Policies that commands have set to another value since; a reset drops them'),
  shared: z
    .record(z.string(), z.unknown())
    .describe('Other options that differ from their defaults, common to all worlds of a server'),
  fixtures: z
    .array(z.string())
    .nullable()
    .describe(
      'Names of its fixture files, in order; null if its data has no name, as always with a store',
    ),
  loaded_at: DateTime.describe(
    'Time of the world clock at the load, the base of relative dates and generated records',
  ),
  restored: z
    .boolean()
    .describe('True if a snapshot, perhaps of another world, has replaced it since'),
  changes: z
    .int()
    .describe('Number of commands that have changed anything but clocks and policies'),
})
export type WorldOrigin = z.infer<typeof WorldOrigin>

/**
 * Returns the origin of a world. `isStored` is true for a world in a store, which does not keep the names of its scenario and
 * fixture files.
 */
export function worldOriginOf(world: World, isStored: boolean): WorldOrigin {
  const { loadedAt, isRestored } = world.origin
  const { fixtures, ...source } = findSource(world, isStored)
  const settings = settingsOf(world)
  const usual = resolvePolicies(source.policies)
  const begun = resolvePolicies(source.policies, world.options.settings.policies)
  const policies = differing(begun, usual)
  return {
    options: {
      ...source.options,
      ...(Object.keys(policies).length > 0 && { policies }),
      ...settings.options,
    },
    policies: differing(world.policies, begun),
    shared: settings.shared,
    fixtures,
    loaded_at: loadedAt,
    restored: isRestored,
    changes: countChanges(world),
  }
}

interface FoundSource extends Pick<WorldOrigin, 'options' | 'fixtures'> {
  /** The policies that come with the source. */
  policies: Record<string, string>
}

function findSource({ seed }: World, isStored: boolean): FoundSource {
  const source = isStored ? undefined : sourceOf(seed)
  if (source && source.files !== null) {
    return {
      options: toOptions(source),
      fixtures: [...(source.files ?? [])],
      policies: seed.policies,
    }
  }
  const { generate, progress, records } = seed
  const isGenerated =
    generate && !progress && COLLECTION_NAMES.every((name) => records[name].length === 0)
  return isGenerated
    ? { options: { generate }, fixtures: [], policies: {} }
    : { options: {}, fixtures: null, policies: seed.policies }
}

function toOptions({ scenario, generate, locale }: SeedSource): Record<string, unknown> {
  const [only, ...others] = [locale ?? []].flat()
  return {
    ...(scenario === 'demo' && { demo: true }),
    ...(scenario !== undefined && scenario !== 'demo' && { scenario }),
    ...(generate !== undefined && { generate }),
    ...(only !== undefined && { locale: others.length > 0 ? [only, ...others] : only }),
  }
}

/** Returns the policies whose value differs from that in `usual`. */
function differing(policies: Policies, usual: Policies): Record<string, string> {
  const values: Record<string, string> = usual
  return Object.fromEntries(
    Object.entries(policies).filter(([name, value]) => values[name] !== value),
  )
}

/**
 * Returns the settings that differ from their defaults. The clock and the policies are left out, because other parts describe them.
 */
function settingsOf({
  options: { settings },
}: World): Record<'options' | 'shared', Record<string, unknown>> {
  const entries = SETTING_NAMES.flatMap((name): [SettingName, unknown][] => {
    if (name === 'now' || name === 'frozen' || name === 'policies') return []
    const value = name === 'latency' ? toLatency(settings.latency) : settings[name]
    return JSON.stringify(value) === JSON.stringify(DEFAULT_SETTINGS[name]) ? [] : [[name, value]]
  })
  const pick = (isInBody: boolean): Record<string, unknown> =>
    Object.fromEntries(
      entries.flatMap(([name, value]) =>
        'body' in optionOf(name) === isInBody ? [[bodyNameOf(name), value]] : [],
      ),
    )
  return { options: pick(true), shared: pick(false) }
}

/** Returns the value of the option `latency` for a fault: `250`, or `100-400` for a range; undefined without a fault. */
function toLatency(fault: ArmedFault | undefined): unknown {
  const { ms, min_ms: min, max_ms: max } = (fault ?? {}) as Record<string, number | undefined>
  return ms ?? (max === undefined ? undefined : `${min ?? 0}-${max}`)
}

const COVERED_BY_ORIGIN = /^(?:clock\.|policy\.|journal\.|scenario\.load$|reset$)/

/** Counts the commands since the last `fixtures.load`, except for those whose changes the origin covers. */
function countChanges({ journal: { commands } }: World): number {
  const types = commands.map(({ command }) => (command as { type: string }).type)
  return types
    .slice(types.lastIndexOf('fixtures.load') + 1)
    .filter((type) => !COVERED_BY_ORIGIN.test(type)).length
}
