import { listWithOr } from '../../contract/text.ts'
import { MAXIMUM_REHEARSAL_RUNS } from '../../contract/limits.ts'
import type { FlagText } from '../../world/options/table.ts'
import { option, Switch, toInteger } from '../../world/options/parse-option.ts'
import { REPORT_OPTION, REQUIRE_OPTION } from '../command-options.ts'
import { EXEC_OPTIONS } from '../exec/exec-options.ts'
import { SERVE_OPTION_NAMES } from '../serve-options.ts'
import type { FlagDefinition, ServeOptionName } from '../serve-options.ts'

/** Clocks of a command: `none` for the machine's, `env` for the time in SEO_SANDBOX_CLIENT_NOW. */
const CLIENT_CLOCKS = ['none', 'env'] as const
export type ClientClockName = (typeof CLIENT_CLOCKS)[number]

/** The options of `rehearse` that `serve` lacks or defines differently. */
export const REHEARSE_OPTIONS = {
  profile: {
    value: '<name>',
    description:
      'smoke: 40 runs with each kind of disturbance; year: as many runs as fit into --for. smoke if omitted, year with --for',
  },
  expect: {
    value: '<reports>',
    description:
      'the reports to expect. all: also those complete before run 1; new: only later ones; decided by run 1 if omitted',
  },
  every: { value: '<duration>', description: 'interval between runs', default: 'P1D' },
  for: { value: '<duration>', description: 'duration of the rehearsal', default: 'P12M' },
  start: {
    value: '<day>',
    description: 'start of the first run; the first of the month if omitted',
  },
  until: {
    value: '<number>',
    description: "the number of the last run to make; the plan's last if omitted",
    read: option((input) => toInteger(input, MAXIMUM_REHEARSAL_RUNS) || undefined, {
      noun: 'the number of a run',
      remedy: 'use one from 1',
    }),
  },
  'client-state': {
    value: '<folder>',
    description: 'the folder of files that the command keeps between runs; emptied at the start',
  },
  'client-clock': {
    value: '<name>',
    description:
      'clock of the command. none: the machine clock; env: the time in SEO_SANDBOX_CLIENT_NOW',
    default: 'none',
    read: option((input) => CLIENT_CLOCKS.find((name) => name === input), {
      noun: 'a clock',
      remedy: `use ${listWithOr(CLIENT_CLOCKS)}`,
    }),
  },
  timeout: {
    ...EXEC_OPTIONS.timeout,
    description: 'end a run that has read nothing new for this time, like 90s, 5m or PT5M',
    default: '120s',
  },
  env: EXEC_OPTIONS.env,
  require: {
    ...REQUIRE_OPTION,
    description: `${REQUIRE_OPTION.description}; delivered if omitted, or nothing if --until leaves runs out`,
  },
  report: {
    ...REPORT_OPTION,
    description: REPORT_OPTION.description.replace('review', 'rehearsal'),
  },
  'dry-run': { description: 'print the plan, and run nothing', read: Switch },
  port: EXEC_OPTIONS.port,
  json: { description: 'print the report as one JSON object on stdout', read: Switch },
  quiet: { description: 'print only errors, and the report of a failure', read: Switch },
} as const satisfies Record<string, FlagText | FlagDefinition>

/** Options of `serve` that make no sense in a rehearsal, whose world is private and begins at the start of the plan. */
export const NOT_OF_REHEARSALS = [
  'stdin-close',
  'frozen',
  'watch',
  'store',
  'limits',
  'state',
  'snapshot',
] as const satisfies readonly ServeOptionName[]

/** The options of `serve` that `rehearse` accepts unchanged. */
export const REHEARSE_SERVE_OPTIONS = SERVE_OPTION_NAMES.filter(
  (name) => !(name in REHEARSE_OPTIONS) && !NOT_OF_REHEARSALS.some((other) => other === name),
)
