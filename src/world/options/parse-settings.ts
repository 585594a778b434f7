import { parseOption } from './parse-option.ts'
import { requireKnown } from './require-known.ts'
import { optionOf } from './table.ts'
import type { WorldOptionInputs } from './table.ts'
import { SETTING_NAMES } from './flags.ts'
import type { PartialSettings } from './world-settings.ts'

/**
 * Validates options of the library, and returns the settings among them.
 *
 * @param source The function that takes the options, for messages.
 *
 * @throws OptionError for an unknown name or an invalid value.
 */
export function parseSettings(
  options: WorldOptionInputs,
  known: readonly string[],
  source: string,
): PartialSettings {
  for (const name of Object.keys(options)) requireKnown(name, known, source)
  const settings = SETTING_NAMES.filter((name) => options[name] !== undefined).map((name) => [
    name,
    parseOption(optionOf(name).read, options[name], name),
  ])
  return Object.fromEntries(settings) as PartialSettings
}
