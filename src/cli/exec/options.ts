import { parseDuration } from '../../world/duration.ts'
import { listOption, option, Switch } from '../../world/options/parse-option.ts'
import { SERVE_OPTION_NAMES, SERVE_OPTIONS } from '../serve-options.ts'
import type { FlagText } from '../../world/options/flags.ts'
import type { FlagDefinition, ServeOptionName } from '../serve-options.ts'
import { listWithOr } from '../list-with-or.ts'
import { REPORT_OPTION, REQUIRE_OPTION } from '../report-option.ts'
import { EXEC_VALUES } from './variables.ts'

const VALUES = listWithOr(EXEC_VALUES)

/** The options of `exec` that `serve` does not have, or that mean something else here. */
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
    description: `another variable of the command to set to ${VALUES}, like API_BASE=api`,
    read: listOption(isMapping, {
      noun: 'a variable and a value for it',
      remedy: `use one like API_BASE=api, with ${VALUES}`,
    }),
  },
  'leave-daemons': {
    description: 'leave processes running that the command has started and not ended',
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
  port: { ...SERVE_OPTIONS.port, default: 0 },
  json: {
    description: 'report how the command ended as a JSON object, on standard error',
    read: Switch,
  },
  quiet: { description: 'print nothing but errors', read: Switch },
} as const satisfies Record<string, FlagText | FlagDefinition>

/** Standard input is the command's. */
const NOT_OF_EXEC: readonly ServeOptionName[] = ['stdin-close']

/** The options of `serve` that `exec` takes as they are. */
export const SHARED_OPTION_NAMES = SERVE_OPTION_NAMES.filter(
  (name) => !(name in EXEC_OPTIONS) && !NOT_OF_EXEC.includes(name),
)

/** The longest delay of a timer in Node. */
const LONGEST_MS = 2 ** 31 - 1

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** The milliseconds of a duration, at least one; undefined for anything else. */
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
