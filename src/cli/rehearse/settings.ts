import { MINUTE_MS } from '../../contract/moments.ts'
import { readPlanOptions } from '../../rehearsal/plan-options.ts'
import type { ReadPlanOptions } from '../../rehearsal/plan-options.ts'
import type { Demands } from '../../review/judge.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { parseFlag } from '../../world/options/parse-option.ts'
import { readMapped } from '../exec/settings.ts'
import type { ExecSettings } from '../exec/settings.ts'
import { readReportFiles } from '../report-option.ts'
import type { ReportFile } from '../report-option.ts'
import type { ServeOptionName, ServeSettings } from '../serve-options.ts'
import { readDemands, readSettings } from '../settings.ts'
import { NOT_OF_REHEARSALS, REHEARSE_OPTIONS } from './options.ts'
import type { ClientClockName } from './options.ts'

/** The settings of `rehearse`, from its flags and the other sources of `serve`'s options. */
export interface RehearseSettings extends Pick<ExecSettings, 'served' | 'mapped'> {
  planned: ReadPlanOptions
  /** The number of the last run; undefined for the plan's last. */
  until: number | undefined
  /** The folder with what the client keeps between runs. */
  clientState: string | undefined
  clientClock: ClientClockName
  /** Time limit of a run, in milliseconds. */
  timeoutMs: number
  reports: readonly ReportFile[]
  demands: Demands
  isDryRun: boolean
  /** As they were given. */
  flags: Readonly<Record<string, unknown>>
}

/** @throws OptionError */
export async function readRehearseSettings(
  flags: Record<string, unknown>,
): Promise<RehearseSettings> {
  const { port, require: required } = flags
  const { settings } = await readSettings(flags)
  if (settings.store !== undefined)
    throw new OptionError(
      '--store: A rehearsal has a world of its own, in this process. Leave it out.',
    )
  return {
    served: toServed(settings, { hasPort: port !== undefined }),
    mapped: readMapped(flags),
    planned: readPlanOptions(flags, (name) => `--${name}`),
    until: parseFlag(REHEARSE_OPTIONS.until.read, flags, 'until'),
    clientState: folderOf(flags['client-state']),
    clientClock: parseFlag(REHEARSE_OPTIONS['client-clock'].read, flags, 'client-clock') ?? 'none',
    timeoutMs: parseFlag(REHEARSE_OPTIONS.timeout.read, flags, 'timeout') ?? 2 * MINUTE_MS,
    reports: readReportFiles(flags),
    demands: await readDemands(required, { isRehearsal: true }),
    isDryRun: flags['dry-run'] === true,
    flags,
  }
}

/** The options of `serve` that choose another world than the demo. */
const WORLD_SOURCES = [
  'demo',
  'scenario',
  'fixtures',
  'projects',
  'locale',
] as const satisfies readonly ServeOptionName[]

/** The settings of the server, with the demo where they name no other world. */
function toServed(settings: ServeSettings, { hasPort }: { hasPort: boolean }): ServeSettings {
  const served: ServeSettings = hasPort
    ? { ...settings }
    : { ...settings, port: REHEARSE_OPTIONS.port.default }
  for (const name of NOT_OF_REHEARSALS) delete served[name]
  const hasWorld = WORLD_SOURCES.some((name) => settings[name] !== undefined)
  return hasWorld ? served : { ...served, demo: true }
}

/** @throws OptionError for an empty one, such as an unset variable, which would be the current folder */
function folderOf(value: unknown): string | undefined {
  if (value === '')
    throw new OptionError(
      '--client-state: The name of the folder is missing. Write one like state.',
    )
  return typeof value === 'string' ? value : undefined
}
