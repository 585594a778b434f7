import type { z } from 'zod'
import { bodyNameOf, completeSettings, optionOf, RECORDED_NAMES } from './table.ts'
import type {
  PartialSettings,
  RecordedName,
  SeparatedWords,
  WorldOptionTable,
  WorldSettings,
} from './table.ts'
import * as validators from './validators.ts'

function sessionNameOf(name: RecordedName): string {
  return optionOf(name).session?.name ?? bodyNameOf(name)
}

type SessionNameOf<Name extends RecordedName> = WorldOptionTable[Name]['session'] extends {
  name: infer SessionName extends string
}
  ? SessionName
  : SeparatedWords<Name, '_'>

type SessionSettingSchemas = {
  [Name in RecordedName as SessionNameOf<Name>]: ReturnType<
    WorldOptionTable[Name]['session']['schema']
  >
}

/** Schemas of the settings that a session contains, by the names of their fields in it. */
export const SESSION_SETTINGS = Object.fromEntries(
  RECORDED_NAMES.map((name) => [sessionNameOf(name), optionOf(name).session?.schema(validators)]),
) as unknown as SessionSettingSchemas

export type SessionSettings = z.output<z.ZodObject<SessionSettingSchemas>>

export function toSessionSettings(settings: WorldSettings): SessionSettings {
  const recorded = RECORDED_NAMES.map((name) => {
    const write = optionOf(name).session?.write
    return [sessionNameOf(name), write ? write(settings[name] as never) : settings[name]] as const
  })
  return Object.fromEntries(recorded.filter(([, value]) => value !== undefined)) as SessionSettings
}

export function fromSessionSettings(recorded: SessionSettings): WorldSettings {
  const settings = RECORDED_NAMES.map((name) => {
    const value: unknown = (recorded as Record<string, unknown>)[sessionNameOf(name)]
    const read = optionOf(name).session?.read
    return [name, read && value !== undefined ? read(value as never) : value]
  })
  return completeSettings(Object.fromEntries(settings) as PartialSettings)
}
