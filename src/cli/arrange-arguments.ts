import { describe, withoutControls } from '../contract/describe.ts'
import { findMisspelt, suggest } from '../contract/suggestion.ts'
import { OptionError } from '../world/option-error.ts'
import { COMMANDS } from './commands.ts'
import type { CliCommand, CliOption } from './commands.ts'

/**
 * The arguments as Commander is to read them, which takes every argument up to the next option for a value of an
 * option of several: each value gets its own flag, so that a command or a word may follow, and `serve` comes first.
 *
 * @throws OptionError for what is not a command, an option, or a number of words that the command takes.
 */
export function arrangeArguments(args: readonly string[]): string[] {
  const [first, ...others] = args
  if (first === 'help') return arrangeHelp(args)
  if (first === '-V' || first === '--version') return [first]
  const named = findCommand(first)
  const command = named ?? COMMANDS[0]
  const remaining = named ? others : [...args]
  const options: string[] = []
  const words: string[] = []
  let isNamed = named !== undefined
  while (remaining.length > 0) {
    const arg = remaining.shift() ?? ''
    if (arg === '--') words.push(...remaining.splice(0))
    else if (arg.startsWith('-')) options.push(...takeOption(command, arg, remaining))
    else if (arg === command.name && !isNamed) isNamed = true
    else if (command.words === undefined && !isNamed) throw unknownCommand(arg)
    else words.push(arg, ...(command.takesCommand ? remaining.splice(0) : []))
  }
  if (!options.some(isHelp)) checkWords(command, words)
  return [
    ...(isNamed ? [command.name] : []),
    ...options,
    ...(words.length > 0 ? ['--', ...words] : []),
  ]
}

function arrangeHelp(args: readonly string[]): string[] {
  const [, word] = args
  if (word !== undefined && word !== 'help' && !findCommand(word)) throw unknownCommand(word)
  return [...args]
}

function findCommand(name: string | undefined): CliCommand | undefined {
  return COMMANDS.find((command) => command.name === name)
}

/** An option with its values, which are taken from the remaining arguments. */
function takeOption(command: CliCommand, arg: string, remaining: string[]): string[] {
  if (isHelp(arg)) return [arg]
  const [flag = '', ...rest] = arg.split('=')
  const inline = rest.length > 0 ? rest.join('=') : undefined
  const definition = optionsOf(command).find((option) => option.flag.split(' ')[0] === flag)
  if (!definition) throw unknownOption(command, flag)
  const [, kind, name = '', dots] = /(?: ([<[])(.*?)(\.\.\.)?[>\]])?$/.exec(definition.flag) ?? []
  if (kind === undefined) {
    if (inline === undefined) return [flag]
    throw new OptionError(`${flag}: This takes no value. Write ${flag} alone, or leave it out.`)
  }
  if (inline !== undefined) return [arg]
  const values = takeValues(remaining, {
    isList: dots !== undefined,
    isOptional: kind === '[',
    command,
    name,
  })
  if (values.length > 0) return values.map((value) => `${flag}=${value}`)
  if (kind === '[') return [flag]
  throw new OptionError(`${flag}: The value is missing. Write ${definition.flag}.`)
}

function isHelp(arg: string): boolean {
  return arg === '-h' || arg === '--help'
}

function optionsOf({ options, shared = [] }: CliCommand): CliOption[] {
  return [...options, ...shared]
}

interface ValueOptions {
  /** Whether there may be several. */
  isList: boolean
  /** Whether there may be none. */
  isOptional: boolean
  command: CliCommand
  /** What the help calls a value. */
  name: string
}

/** Takes the values of an option from the arguments: no command, and in front of words of a command only what looks like one. */
function takeValues(
  remaining: string[],
  { isList, isOptional, command, name }: ValueOptions,
): string[] {
  const isValue = (arg: string, index: number): boolean => {
    if (arg.startsWith('--')) return false
    if (index === 0)
      return !(isList || isOptional) || command.words !== undefined || !findCommand(arg)
    if (!isList || findCommand(arg)) return false
    return command.words === undefined || !name.includes('=') || arg.includes('=')
  }
  const end = remaining.findIndex((arg, index) => !isValue(arg, index))
  return remaining.splice(0, end === -1 ? remaining.length : end)
}

function unknownOption(command: CliCommand, flag: string): OptionError {
  const { name } = command
  const names = optionsOf(command).map((option) => option.flag.split(' ')[0]?.slice(2) ?? '')
  const meant = findMisspelt(flag.replace(/^-+/, ''), names)
  const question = meant === undefined ? '' : ` Did you mean --${meant}?`
  return new OptionError(
    `${withoutControls(flag)}: This is not an option.${question} seo-sandbox ${name} --help lists them all.`,
  )
}

/** @throws OptionError where there are more or fewer words than the command takes. */
function checkWords(command: CliCommand, words: readonly string[]): void {
  const { name, words: expected = '', takesCommand } = command
  const maximum = /\.\.\.[\]>]$/.test(expected) ? Infinity : Number(expected !== '')
  const surplus = words[maximum]
  if (surplus !== undefined) throw unexpectedWord(command, surplus)
  if (!expected.startsWith('<') || words.length > 0) return
  const [noun = 'word'] = /\w+/.exec(expected) ?? []
  const usage = `seo-sandbox ${name} ${takesCommand ? '-- ' : ''}${expected}`
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a'
  throw new OptionError(`seo-sandbox ${name} needs ${article} ${noun}. Write ${usage}.`)
}

function unexpectedWord({ name }: CliCommand, word: string): OptionError {
  if (name === COMMANDS[0].name && !findCommand(word)) return unknownCommand(word)
  return new OptionError(
    `${describe(withoutControls(word))} is one word too many. seo-sandbox ${name} --help shows what it takes.`,
  )
}

/** The error for an unknown command, which says what to write instead. */
function unknownCommand(word: string): OptionError {
  if (findCommand(word)) {
    return new OptionError(
      `The command comes before its options. Write seo-sandbox ${word} first, then its options.`,
    )
  }
  const sentence = `${describe(withoutControls(word))} is not a command.`
  const isPath = /[./\\]/.test(word)
  return new OptionError(
    isPath
      ? `${sentence} Serve a fixture with --fixtures ${withoutControls(word)}, or check it with seo-sandbox validate.`
      : `${sentence} ${suggest(
          word,
          COMMANDS.map(({ name }) => name),
        )}`,
  )
}
