import { describe, withoutControls } from '../contract/describe.ts'
import { findMisspelt, suggest } from '../contract/suggestion.ts'
import { OptionError } from '../world/option-error.ts'
import { optionsOf } from './cli-command.ts'
import type { CliCommand, Flags } from './cli-command.ts'
import type { FlagText } from '../world/option-flags.ts'
import { COMMANDS } from './commands.ts'

/** What a command line asks for; help without a command is that of the program. */
export type CommandLine =
  | { asks: 'version' }
  | { asks: 'help'; command: CliCommand | undefined }
  | { asks: 'run'; command: CliCommand; words: string[]; flags: Flags }

const [STANDARD] = COMMANDS

/**
 * Reads the arguments by the definition of the command that they name.
 *
 * @throws OptionError for what is not a command or an option, and for too many or too few values and words.
 */
export function parseArguments(args: readonly string[]): CommandLine {
  const [first = '', ...others] = args
  if (first === '-V' || first === '--version') return { asks: 'version' }
  if (first === 'help') return { asks: 'help', command: findHelped(others[0]) }
  const named = findCommand(first)
  if (!named && args.length > 0 && !first.startsWith('-')) throw unknownCommand(first)
  const command = named ?? STANDARD
  const { words, flags, isHelp, secondValue } = readArguments(command, named ? others : args)
  if (isHelp) return { asks: 'help', command: named }
  const [word] = words
  // The default command may come after its options too.
  if (!named && word === command.name) words.shift()
  else if (!named && findCommand(word)) throw misplacedCommand(word)
  checkWords(command, words, secondValue)
  return { asks: 'run', command, words, flags }
}

function findCommand(name: string | undefined): CliCommand | undefined {
  return COMMANDS.find((command) => command.name === name)
}

function findHelped(name: string | undefined): CliCommand | undefined {
  const command = findCommand(name)
  if (!command && name !== undefined && name !== 'help') throw unknownCommand(name)
  return command
}

interface Arguments {
  words: string[]
  flags: Flags
  isHelp: boolean
  /** What to say of a word that may be meant as a second value of the option before it. */
  secondValue: OptionError | undefined
}

function readArguments(command: CliCommand, args: readonly string[]): Arguments {
  const words: string[] = []
  const flags: Flags = {}
  let isHelp = false
  let secondValue: OptionError | undefined
  const remaining = [...args]
  while (remaining.length > 0) {
    const arg = remaining.shift() ?? ''
    if (arg === '--') words.push(...remaining.splice(0))
    else if (arg === '-h' || arg === '--help') isHelp = true
    else if (arg.startsWith('-')) {
      const { name, option } = findOption(command, arg)
      const value = takeValue(option, arg, remaining)
      flags[name] = option.repeats ? [flags[name] ?? [], value].flat() : value
      if (option.repeats) secondValue ??= checkNext(command, { name, option, next: remaining[0] })
    } else words.push(arg, ...(command.takesCommand ? remaining.splice(0) : []))
  }
  return { words, flags, isHelp, secondValue }
}

interface FoundOption {
  name: string
  option: FlagText
}

/** @throws OptionError where the command has no such option */
function findOption(command: CliCommand, arg: string): FoundOption {
  const options = optionsOf(command)
  const flag = flagOf(arg)
  const name = flag.slice('--'.length)
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (option && flag.startsWith('--')) return { name, option }
  const meant = findMisspelt(flag.replace(/^-+/, ''), Object.keys(options))
  const question = meant === undefined ? '' : ` Did you mean --${meant}?`
  throw new OptionError(
    `${withoutControls(flag)}: This is not an option.${question} seo-sandbox ${command.name} --help lists them all.`,
  )
}

/** The flag of an argument that may have its value as well. */
function flagOf(arg: string): string {
  return arg.replace(/=.*/s, '')
}

/**
 * The value of an option, which may be the next argument; true where it has none.
 *
 * @throws OptionError where it takes none, or where it is missing
 */
function takeValue({ value: form }: FlagText, arg: string, remaining: string[]): string | true {
  const flag = flagOf(arg)
  if (form === undefined) {
    if (arg === flag) return true
    throw new OptionError(`${flag}: This takes no value. Write ${flag} alone, or leave it out.`)
  }
  if (arg !== flag) return arg.slice(flag.length + '='.length)
  const isOptional = form.startsWith('[')
  const [next] = remaining
  if (next !== undefined && !next.startsWith('--') && !(isOptional && findCommand(next))) {
    remaining.shift()
    return next
  }
  if (isOptional) return true
  throw new OptionError(`${flag}: The value is missing. Write ${flag} ${form}.`)
}

/**
 * What to say of the argument after the value of an option that can be repeated, if it turns out to be a word too many.
 *
 * @throws OptionError where it certainly is one: a command of its own follows `--`, and other words look different
 */
function checkNext(
  { takesCommand }: CliCommand,
  { name, option: { value: form = '' }, next }: FoundOption & { next: string | undefined },
): OptionError | undefined {
  if (next === undefined || next.startsWith('-')) return undefined
  const error = new OptionError(
    `--${name}: This takes one value. For another, write --${name} again: --${name} ${withoutControls(next)}.`,
  )
  if (takesCommand || (form.includes('=') && next.includes('='))) throw error
  return error
}

/** @throws OptionError where there are more or fewer words than the command takes */
function checkWords(
  command: CliCommand,
  words: readonly string[],
  secondValue: OptionError | undefined,
): void {
  const { name, words: form = '', takesCommand } = command
  const expected = form.split(' ').filter((part) => part !== '')
  const surplus = form.includes('...') ? undefined : words[expected.length]
  if (surplus !== undefined) throw secondValue ?? surplusWord(command, surplus)
  const missing = expected[words.length] ?? ''
  if (!missing.startsWith('<')) return
  const [noun = ''] = /\w+/.exec(missing) ?? []
  const usage = `seo-sandbox ${name} ${takesCommand ? '-- ' : ''}${form}`
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a'
  throw new OptionError(`seo-sandbox ${name} needs ${article} ${noun}. Write ${usage}.`)
}

function surplusWord(command: CliCommand, word: string): OptionError {
  const { name, surplusHint = `seo-sandbox ${name} --help shows what it takes.` } = command
  if (command === STANDARD && !findCommand(word)) return unknownCommand(word)
  return new OptionError(`${describe(withoutControls(word))} is one word too many. ${surplusHint}`)
}

function misplacedCommand(name = ''): OptionError {
  return new OptionError(
    `The command comes before its options. Write seo-sandbox ${name} first, then its options.`,
  )
}

function unknownCommand(word: string): OptionError {
  const shown = withoutControls(word)
  const names = COMMANDS.map(({ name }) => name)
  const isPath = /[./\\]/.test(word)
  const remedy = isPath
    ? `Serve a fixture with --fixtures ${shown}, or check it with seo-sandbox validate.`
    : suggest(word, names)
  return new OptionError(`${describe(shown)} is not a command. ${remedy}`)
}
