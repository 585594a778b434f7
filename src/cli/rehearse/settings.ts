import { MINUTE_MS } from '../../contract/moments.ts'
import { readPlanOptions } from '../../rehearsal/plan-options.ts'
import type { ReadPlanOptions } from '../../rehearsal/plan-options.ts'
import type { Demands } from '../../review/judge.ts'
import { OptionError } from '../../world/option-error.ts'
import { parseFlag } from '../../world/parse-option.ts'
import { readMapped } from '../exec/settings.ts'
import type { ExecSettings } from '../exec/settings.ts'
import { readReportFiles } from '../report-option.ts'
import type { ReportFile } from '../report-option.ts'
import type { ServeSettings } from '../serve-options.ts'
import { readDemands, readSettings } from '../settings.ts'
import { NOT_OF_REHEARSALS, REHEARSE_OPTIONS, WORLD_SOURCES } from './options.ts'
import type { ClientClockName } from './options.ts'

/** The settings of `rehearse`, from its flags and the other sources of `serve`'s options. */
export interface RehearseSettings extends Pick<ExecSettings, 'served' | 'mapped'> {
  planned: ReadPlanOptions
  /** The number of the last run; undefined for the plan's last. */
  until: number | undefined
  /** The folder of a run that was kept, to repeat it alone. */
  from: string | undefined
  /** The folder with what the client keeps between runs. */
  clientState: string | undefined
  clientClock: ClientClockName
  /** How long each run may take. */
  timeoutMs: number
  reports: readonly ReportFile[]
  demands: Demands
  /** How often each run with a finding is repeated. */
  retries: number
  isDryRun: boolean
  /** As they were given. */
  flags: Readonly<Record<string, unknown>>
}

/** @throws OptionError */
export async function readRehearseSettings(
  flags: Record<string, unknown>,
): Promise<RehearseSettings> {
  const { port, require: required, from } = flags
  const { settings } = await readSettings(flags)
  if (settings.store !== undefined)
    throw new OptionError(
      '--store: A rehearsal has a world of its own, in this process. Leave it out.',
    )
  if (typeof from === 'string') requireAlone(flags)
  const clientClock =
    parseFlag(REHEARSE_OPTIONS['client-clock'].read, flags, 'client-clock') ?? 'none'
  return {
    served: toServed(settings, { hasPort: port !== undefined }),
    mapped: readMapped(flags),
    planned: readPlanOptions(flags, (name) => `--${name}`),
    until: parseFlag(REHEARSE_OPTIONS.until.read, flags, 'until'),
    from: textOf(from),
    clientState: folderOf(flags['client-state']),
    clientClock,
    timeoutMs:
      parseFlag(REHEARSE_OPTIONS.timeout.read, flags, 'timeout') ??
      (clientClock === 'faketime' ? 15 : 2) * MINUTE_MS,
    reports: readReportFiles(flags),
    demands: await readDemands(required, { isRehearsal: true }),
    retries: parseFlag(REHEARSE_OPTIONS.retry.read, flags, 'retry') ?? 0,
    isDryRun: flags['dry-run'] === true,
    flags,
  }
}

/** The options that the folder of a kept run has itself. */
const OF_A_KEPT_RUN = [
  ...WORLD_SOURCES,
  'seed',
  'now',
  'profile',
  'every',
  'for',
  'start',
  'until',
] as const

/** @throws OptionError for an option that the folder of `--from` has already. */
function requireAlone(flags: Record<string, unknown>): void {
  const other = OF_A_KEPT_RUN.find((name) => flags[name] !== undefined)
  if (other === undefined) return
  throw new OptionError(
    `--${other}: The folder of --from has the world and the plan of its run. Leave out --${other}.`,
  )
}

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
  return textOf(value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
