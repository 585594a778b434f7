import type { z } from 'zod'
import { parseOption, requireKnown } from './option.ts'
import { optionOf, WORLD_OPTION_NAMES, WORLD_OPTIONS } from './options.ts'
import type { WorldOptionInputs, WorldOptionName, WorldOptionTable } from './options.ts'

/** The options that records are read from. */
type SourceName = {
  [Name in WorldOptionName]: WorldOptionTable[Name] extends { isSource: true } ? Name : never
}[WorldOptionName]

/** The options that a world has while it runs. */
export type SettingName = Exclude<WorldOptionName, SourceName>
export const SETTING_NAMES = WORLD_OPTION_NAMES.filter(
  (name): name is SettingName => !('isSource' in WORLD_OPTIONS[name]),
)

/** The options of a running world, checked. Those without a default may be undefined. */
export type WorldSettings = {
  -readonly [Name in SettingName]:
    | z.output<WorldOptionTable[Name]['schema']>
    | (WorldOptionTable[Name] extends { default: unknown } ? never : undefined)
}

/** Some of them. */
export type PartialSettings = { [Name in SettingName]?: WorldSettings[Name] | undefined }

/** All settings of a world: those given, over those of the default world or the defaults. */
export function completeSettings(given: PartialSettings, base?: WorldSettings): WorldSettings {
  const settings = SETTING_NAMES.map((name) => {
    const { merge, default: preset } = optionOf(name)
    const [inherited, own] = [base ? base[name] : preset, given[name]]
    if (own === undefined) return [name, inherited]
    return [name, merge && inherited !== undefined ? merge(inherited as never, own as never) : own]
  })
  return Object.fromEntries(settings) as WorldSettings
}

/**
 * The settings among options as the library takes them.
 *
 * @param source How a message names what takes them.
 * @throws OptionError for an unknown name, or a value that is not possible.
 */
export function parseSettings(
  options: WorldOptionInputs,
  known: readonly WorldOptionName[],
  source: string,
): PartialSettings {
  for (const name of Object.keys(options)) requireKnown(name, known, source)
  const settings = SETTING_NAMES.filter((name) => options[name] !== undefined).map((name) => [
    name,
    parseOption(optionOf(name).schema, options[name], name),
  ])
  return Object.fromEntries(settings) as PartialSettings
}
