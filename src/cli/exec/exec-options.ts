import { listWithOr } from '../../contract/text.ts'
import { constants } from 'node:os'
import { parseDuration } from '../../world/duration.ts'
import type { FlagText } from '../../world/options/table.ts'
import { listOption, option, Switch } from '../../world/options/parse-option.ts'
import { CA_VARIABLE, REPORT_OPTION, REQUIRE_OPTION } from '../command-options.ts'
import { environmentName, SERVE_OPTION_NAMES, SERVE_OPTIONS } from '../serve-options.ts'
import type { FlagDefinition, ServeOptionName } from '../serve-options.ts'

/** Values that `--env` can assign: `url` is the base URL, `api` adds `/api/v1`, and `ca` is the path of a CA certificate. */
const EXEC_VALUES = ['url', 'api', 'token', 'control', 'key', 'ca'] as const
export type ExecValue = (typeof EXEC_VALUES)[number]

/** Variables that `exec` sets for its command. A variable without a value is unset. */
export const EXEC_VARIABLES = {
  url: 'SEO_SANDBOX_URL',
  token: 'SEO_SANDBOX_TOKEN',
  control: 'SEO_SANDBOX_CONTROL_URL',
  key: environmentName('admin-key'),
  ca: CA_VARIABLE,
} as const satisfies Partial<Record<ExecValue, string>>

/** Additional variables of a rehearsed command. */
export const REHEARSAL_VARIABLES = {
  /** Start of the run, as an ISO 8601 datetime; set only with `--client-clock env`. */
  now: 'SEO_SANDBOX_CLIENT_NOW',
  /** Number of the run, counted from 1. */
  number: 'SEO_SANDBOX_RUN_NUMBER',
} as const

/**
 * Variable with a random value that identifies the processes of a run. In a nested run, it also contains the values of
 * the enclosing runs.
 */
export const RUN_VARIABLE = 'SEO_SANDBOX_RUN'

export function toApi(url: string): string {
  return `${url}/api/v1`
}

/** True for a variable set by `exec` or `rehearse`, under its own name or a name chosen with `--env`. */
export function isOfExec(name: string, env: NodeJS.ProcessEnv): boolean {
  const names: string[] = [RUN_VARIABLE, ...Object.values(EXEC_VARIABLES)]
  const others: string[] = Object.values(REHEARSAL_VARIABLES)
  if ([...names, ...others].includes(name)) return true
  if (env[RUN_VARIABLE] === undefined) return false
  const values = names.map((variable) => env[variable])
  return [...values, toApi(env[EXEC_VARIABLES.url] ?? '')].includes(env[name])
}

const VALUES = listWithOr(EXEC_VALUES)

/** The options of `exec` that `serve` lacks or defines differently. */
export const EXEC_OPTIONS = {
  timeout: {
    value: '<duration>',
    description: 'end the command after this time, like 90s, 5m or PT5M',
    read: option(toMs, {
      noun: 'a duration',
      remedy: 'use one like 500ms, 90s, 5m or PT5M, up to 24 days',
    }),
  },
  env: {
    value: '<name=value>',
    repeats: true,
    description: `an additional variable of the command, set to ${VALUES}, like API_BASE=api`,
    read: listOption(isMapping, {
      noun: 'a variable and a value for it',
      remedy: `use one like API_BASE=api, with ${VALUES}`,
    }),
  },
  'leave-daemons': {
    description: 'leave background processes of the command running',
    read: Switch,
  },
  review: {
    description: 'review the requests of the command, and fail if it made a mistake',
    read: Switch,
  },
  report: {
    ...REPORT_OPTION,
    description: `${REPORT_OPTION.description}; implies --review`,
  },
  require: {
    ...REQUIRE_OPTION,
    description: `${REQUIRE_OPTION.description}; implies --review`,
  },
  profile: {
    value: '<name>',
    description:
      'storm: run the command with a refused token, with faults, and a day later; implies --review',
    read: option((input) => (input === 'storm' ? input : undefined), {
      noun: 'a profile',
      remedy: 'use storm',
    }),
  },
  vary: {
    description:
      'run the command once more under each other option of the policies that its answers rested on; implies --review',
    read: Switch,
  },
  port: { ...SERVE_OPTIONS.port, default: 0 },
  json: {
    description: 'report the end of the command as a JSON object, on standard error',
    read: Switch,
  },
  quiet: { description: 'print only errors', read: Switch },
} as const satisfies Record<string, FlagText | FlagDefinition>

/** Options of `serve` that `exec` lacks, because standard input belongs to the command. */
const NOT_OF_EXEC: readonly ServeOptionName[] = ['stdin-close']

/** The options of `serve` that `exec` accepts unchanged. */
export const EXEC_SERVE_OPTIONS = SERVE_OPTION_NAMES.filter(
  (name) => !(name in EXEC_OPTIONS) && !NOT_OF_EXEC.includes(name),
)

/** Longest delay of a Node timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/**
 * Converts a duration like `90s` or `PT5M` to milliseconds; undefined if it is invalid, has months, or is not from 1 to
 * `LONGEST_MS`.
 */
function toMs(input: unknown): number | undefined {
  if (typeof input !== 'string') return undefined
  const [, amount, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(input) ?? []
  const { months, ms } = parseDuration(input) ?? {
    months: 0,
    ms: Number(amount) * (UNIT_MS[unit] ?? NaN),
  }
  return months === 0 && ms >= 1 && ms <= LONGEST_MS ? ms : undefined
}

function isMapping(text: string): boolean {
  const [name = '', value = ''] = text.split(/=(.*)/s)
  return /^[A-Za-z_]\w*$/.test(name) && EXEC_VALUES.some((known) => known === value)
}

/** Exit codes of `exec` other than the command's own. For a signal, its number is added to `signalled`. */
export const EXEC_EXIT_CODES = {
  /** Used only if the command itself exited with 0. */
  reviewFailed: 1,
  timedOut: 124,
  failed: 125,
  notRunnable: 126,
  notFound: 127,
  signalled: 128,
} as const

/** Returns the exit code that a shell gives for a program ended by a signal. */
export function toSignalCode(signal: NodeJS.Signals): number {
  return EXEC_EXIT_CODES.signalled + constants.signals[signal]
}
