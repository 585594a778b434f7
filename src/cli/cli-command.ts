import type { FlagText } from '../world/options/table.ts'

type CliOptions = Readonly<Record<string, FlagText>>

/**
 * Values of the options that are set, by name: a string, a list of strings for a repeatable option, or true for a
 * switch and for an omitted optional value.
 */
export type Flags = Record<string, unknown>

/** A command of the command line. Its implementation is loaded when it runs. */
export interface CliCommand {
  name: string
  /** Positional arguments, like `<action> [partner]` or `[path...]`; none if omitted. */
  words?: string
  /** Allowed values of the first positional argument; any if omitted. */
  actions?: readonly string[]
  /** Advice about a surplus argument; a reference to the help if omitted. */
  surplusHint?: string
  /** True if the arguments are the command line of another program, whose options are not parsed. */
  takesCommand?: true
  description: string
  options: CliOptions
  /** Options shared with `serve` and documented there; none if omitted. */
  shared?: CliOptions
  /** Text below the options in the help. */
  notes: string
  /** Meanings of the exit codes; `0 success` if omitted. The help adds `failureCode` as a usage error unless it is listed. */
  exitCodes?: ExitCodes
  /** Short description of the output with `--json`. */
  prints: string
  /** Page of the package's documentation, like `docs/judging.md`. */
  page: string
  /** Command lines shown in the help, without the program's name. */
  examples: string[]
  /** The exit code of a usage error, and of a server that cannot start; 2 if omitted. */
  failureCode?: number
  /** Runs the command, and returns the exit code; undefined for success, or if the process keeps running. */
  run: (words: string[], flags: Flags) => Promise<number | void>
}

type ExitCodes = readonly (readonly [code: string, meaning: string])[]

export function exitCodesOf({
  exitCodes = [['0', 'success']],
  failureCode = 2,
}: CliCommand): ExitCodes {
  const isUsage = exitCodes.some(([code]) => code === String(failureCode))
  return isUsage ? exitCodes : [...exitCodes, [String(failureCode), 'usage error']]
}

export function describeExitCodes(command: CliCommand): string {
  const listed = exitCodesOf(command).map(([code, meaning]) => `${code} ${meaning}`)
  return `Exit codes: ${listed.join('; ')}.`
}

export function allOptionsOf({ options, shared = {} }: CliCommand): CliOptions {
  return { ...options, ...shared }
}

/** Formats an option for the help: `--port <number>`. */
export function formOf(name: string, { value }: FlagText): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

export function describeOption({ description, repeats, default: preset }: FlagText): string {
  const notes = [
    ...(repeats ? [' (can be repeated)'] : []),
    ...(preset === undefined ? [] : [` (default: ${JSON.stringify(preset)})`]),
  ]
  return description + notes.join('')
}
