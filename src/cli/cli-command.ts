import type { FlagText } from '../world/options/flags.ts'

type CliOptions = Readonly<Record<string, FlagText>>

/** The values of the options that are set: a text, a list of texts where it can be repeated, or true. */
export type Flags = Record<string, unknown>

/** A command of the command line. Its implementation is loaded when it runs. */
export interface CliCommand {
  name: string
  /** The words it takes besides options, like `<action> [partner]` or `[path...]`; none if omitted. */
  words?: string
  /** The values that its first word can have; any if omitted. */
  actions?: readonly string[]
  /** What to do about an extra word; see the help if omitted. */
  surplusHint?: string
  /** Whether the words are the command line of another program, with options that are not its own. */
  takesCommand?: true
  description: string
  options: CliOptions
  /** Options that `serve` has too, which its own documentation lists; none if omitted. */
  shared?: CliOptions
  /** Shown in the help below the options. */
  notes: string
  /** What its exit codes mean, except for a usage error's; `0 success` if omitted. */
  exitCodes?: ExitCodes
  /** What it prints with `--json`, in a few words. */
  prints: string
  /** The page of the package's documentation that is about it, like `docs/exec.md`. */
  page: string
  /** Command lines shown in the help, without the program's name. */
  examples: string[]
  /** The exit code of a usage error, and of a server that cannot start; 2 if omitted. */
  failureCode?: number
  /** Returns the exit code, or nothing if the process keeps running. */
  run: (words: string[], flags: Flags) => Promise<number | void>
}

type ExitCodes = readonly (readonly [code: string, meaning: string])[]

/** What each exit code of a command means. */
export function exitCodesOf({
  exitCodes = [['0', 'success']],
  failureCode = 2,
}: CliCommand): ExitCodes {
  const isUsage = exitCodes.some(([code]) => code === String(failureCode))
  return isUsage ? exitCodes : [...exitCodes, [String(failureCode), 'usage error']]
}

/** The same as a sentence, for the help. */
export function describeExitCodes(command: CliCommand): string {
  const listed = exitCodesOf(command).map(([code, meaning]) => `${code} ${meaning}`)
  return `Exit codes: ${listed.join('; ')}.`
}

/** Every option of a command. */
export function allOptionsOf({ options, shared = {} }: CliCommand): CliOptions {
  return { ...options, ...shared }
}

/** An option as the help shows it, like `--port <number>`. */
export function formOf(name: string, { value }: FlagText): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

/** What an option does, with its default, and whether it can be repeated. */
export function describeOption({ description, repeats, default: preset }: FlagText): string {
  const notes = [
    ...(repeats ? [' (can be repeated)'] : []),
    ...(preset === undefined ? [] : [` (default: ${JSON.stringify(preset)})`]),
  ]
  return description + notes.join('')
}
