import type { z } from 'zod'
import { parseOption, requireKnown } from './parse-option.ts'
import { optionOf, WORLD_OPTION_NAMES, WORLD_OPTIONS } from './options.ts'
import type { WorldOptionInputs, WorldOptionName, WorldOptionTable } from './options.ts'

/** The options that records are read from. */
type SourceName = {
  [Name in WorldOptionName]: WorldOptionTable[Name] extends { isSource: true } ? Name : never
}[WorldOptionName]

/** The options of a running world. */
export type SettingName = Exclude<WorldOptionName, SourceName>
export const SETTING_NAMES = WORLD_OPTION_NAMES.filter(
  (name): name is SettingName => !('isSource' in WORLD_OPTIONS[name]),
)

/** The validated options of a running world. Those without a default may be undefined. */
export type WorldSettings = {
  -readonly [Name in SettingName]:
    | z.output<WorldOptionTable[Name]['schema']>
    | (WorldOptionTable[Name] extends { default: unknown } ? never : undefined)
}

/** Some of the settings. */
export type PartialSettings = { [Name in SettingName]?: WorldSettings[Name] | undefined }

/** All settings of a world: those given override those that the default world was created with, or the defaults. */
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
 * The settings among options of the library.
 *
 * @param source The function that takes them, for messages.
 * @throws OptionError for an unknown name or an invalid value.
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
