import type { ValueOf } from '../../contract/read-fields.ts'
import { SETTING_NAMES, settingOf } from './flags.ts'
import type { FlagTable, SettingDefault, SettingName } from './flags.ts'
import type { WorldOptionTable } from './table.ts'

/** The validated options of a running world. Options without a default may be undefined. */
export type WorldSettings = {
  -readonly [Name in SettingName]:
    | ValueOf<WorldOptionTable[Name]['read']>
    | (FlagTable[Name]['setting'] extends { default: unknown } ? never : undefined)
}

export type PartialSettings = { [Name in SettingName]?: WorldSettings[Name] | undefined }

/** Completes settings with `base`, the settings of the default world; if it is omitted, with the defaults. */
export function completeSettings(given: PartialSettings, base?: WorldSettings): WorldSettings {
  const settings = SETTING_NAMES.map((name) => {
    const { merge, default: preset }: SettingDefault = settingOf(name)
    const [inherited, own] = [base ? base[name] : preset, given[name]]
    if (own === undefined) return [name, inherited]
    return [name, merge && inherited !== undefined ? merge(inherited as never, own as never) : own]
  })
  return Object.fromEntries(settings) as WorldSettings
}
