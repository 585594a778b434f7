import type { Reader } from '../../contract/read-fields.ts'
import { parseOption } from './parse-option.ts'
import { requireKnown } from './require-known.ts'
import { optionOf, SETTING_NAMES } from './table.ts'
import type { PartialSettings, WorldOptionInputs, WorldOptionName } from './table.ts'
import * as validators from './validators.ts'

/**
 * Validates the names of library options, and the values of those that are settings. Returns the settings.
 *
 * @param source Name of the function that accepts the options, for messages.
 *
 * @throws OptionError for an unknown name, or an invalid value of a setting.
 */
export function parseSettings(
  options: WorldOptionInputs,
  known: readonly string[],
  source: string,
): PartialSettings {
  for (const name of Object.keys(options)) requireKnown(name, known, source)
  const settings = SETTING_NAMES.filter((name) => options[name] !== undefined).map((name) => [
    name,
    parseOption(optionOf(name).read(validators), options[name], name),
  ])
  return Object.fromEntries(settings) as PartialSettings
}

/** Returns the reader of an option for the command line, the environment and the config file. */
export function flagReaderOf(name: WorldOptionName): Reader<unknown, unknown> {
  const { read, readFlag = read } = optionOf(name)
  return readFlag(validators)
}
