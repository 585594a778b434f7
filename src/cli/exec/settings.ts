import { OptionError } from '../../world/options/option-error.ts'
import { parseFlag } from '../../world/options/parse-option.ts'
import type { ServeSettings } from '../serve-options.ts'
import type { Demands } from '../../review/judge.ts'
import { readDemands, readSettings } from '../settings.ts'
import { readReportFiles } from '../report-option.ts'
import type { ReportFile } from '../report-option.ts'
import { EXEC_OPTIONS } from './options.ts'
import type { ExecValue } from './variables.ts'

/** The settings of `exec`, from its flags and the other sources of `serve`'s options. */
export interface ExecSettings {
  /** The settings of the server, which picks a free port unless a flag sets one. */
  served: ServeSettings
  /** How long the command may run; undefined without a limit. */
  timeoutMs: number | undefined
  /** Variables of the command in addition to those that it always gets. */
  mapped: ReadonlyMap<string, ExecValue>
  leavesDaemons: boolean
  /** The files that the review is written to, besides the terminal; undefined where there is no review. */
  reports: readonly ReportFile[] | undefined
  /** Whether the command runs three times: with a refused token, with faults, and a day later. */
  isStorm: boolean
  /** What the review is required to show, and what it lets pass. */
  demands: Demands
}

/** @throws OptionError */
export async function readExecSettings(flags: Record<string, unknown>): Promise<ExecSettings> {
  const { port, review, report, require: required, profile } = flags
  const { settings } = await readSettings(flags)
  const isReviewed =
    review === true || [report, required, profile].some((flag) => flag !== undefined)
  if (isReviewed && settings.store !== undefined) {
    throw new OptionError(
      '--review: A store has the requests of other servers too. Leave out --store, or this.',
    )
  }
  return {
    served: port === undefined ? { ...settings, port: EXEC_OPTIONS.port.default } : settings,
    timeoutMs: parseFlag(EXEC_OPTIONS.timeout.read, flags, 'timeout'),
    mapped: readMapped(flags),
    leavesDaemons: flags['leave-daemons'] === true,
    reports: isReviewed ? readReportFiles(flags) : undefined,
    isStorm: parseFlag(EXEC_OPTIONS.profile.read, flags, 'profile') === 'storm',
    demands: isReviewed ? await readDemands(required) : { require: [], waive: [] },
  }
}

/** The variables that `--env` names, each with the value that it asks for. @throws OptionError */
export function readMapped(flags: Record<string, unknown>): ReadonlyMap<string, ExecValue> {
  return new Map(parseFlag(EXEC_OPTIONS.env.read, flags, 'env')?.map(toMapping))
}

function toMapping(text: string): [name: string, value: ExecValue] {
  const [name = '', value] = text.split('=')
  return [name, value as ExecValue]
}
