import { Command, CommanderError, Option } from 'commander'
import { findMisspelt, suggest } from '../contract/suggestion.ts'
import { describe, withoutControls } from '../contract/text.ts'
import { VERSION } from '../contract/version.ts'
import type { FlagText } from '../world/options/table.ts'
import { OptionError } from '../world/options/option-error.ts'
import { describeExitCodes, describeOption, formOf, allOptionsOf } from './cli-command.ts'
import type { CliCommand, Flags } from './cli-command.ts'
import { COMMANDS, MAIN_COMMANDS, MORE_COMMANDS } from './commands.ts'
import { wrap } from './print.ts'

export interface CommandLine {
  command: CliCommand
  words: string[]
  flags: Flags
}

const [STANDARD] = MAIN_COMMANDS

const NOTES_WIDTH = 110

/**
 * Parses the arguments. Returns undefined after printing the help or the version.
 *
 * @throws OptionError for unknown commands, unknown or misplaced options, and too many or too few values or words.
 */
export function parseArguments(args: readonly string[]): CommandLine | undefined {
  let line: CommandLine | undefined
  const program = createProgram(args, (read) => {
    line = read
  })
  try {
    program.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error
  }
  return line
}

type OnRead = (line: CommandLine) => void

/**
 * Creates the program. The program itself also accepts the options of its default command, so that they may precede the
 * command's name.
 */
function createProgram(args: readonly string[], onRead: OnRead): Command {
  const program = new Command('seo-sandbox')
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => {} })
    .hook('preSubcommand', passOptions)
  define(program, { definition: STANDARD, args, onRead })
  program.version(VERSION)
  program.helpInformation = programHelp
  for (const definition of COMMANDS) {
    const command = program.command(definition.name).description(definition.description)
    define(command, { definition, args, onRead })
    describeHelp(command, definition)
  }
  program
    .command('help [command]')
    .description('display help for command')
    .allowExcessArguments()
    .allowUnknownOption()
    .action((name = 'help') => {
      const isProgram = name === 'help'
      const helped = isProgram ? program : program.commands.find((one) => one.name() === name)
      if (!helped) throw unknownCommand(name)
      helped.outputHelp()
    })
  return program
}

/** Passes options that precede a command's name to the default command. @throws OptionError if another command is named */
function passOptions(program: Command, command: Command): void {
  for (const key of Object.keys(program.opts())) {
    if (program.getOptionValueSource(key) !== 'cli') continue
    const name = command.name()
    if (name !== STANDARD.name) {
      throw new OptionError(
        `The command comes before its options. Write seo-sandbox ${name} first, then its options.`,
      )
    }
    command.setOptionValueWithSource(key, program.getOptionValue(key), 'cli')
  }
}

interface Context {
  definition: CliCommand
  args: readonly string[]
}

function define(command: Command, context: Context & { onRead: OnRead }): void {
  const { definition, args, onRead } = context
  const { words, takesCommand = false, options } = definition
  for (const [name, text] of Object.entries(allOptionsOf(definition))) {
    const isHidden = takesCommand && !(name in options)
    command.addOption(createOption(name, text, args).hideHelp(isHidden))
  }
  if (words !== undefined) command.arguments(words)
  if (takesCommand) command.usage(`[options] -- ${words}`)
  command
    .passThroughOptions(takesCommand)
    .exitOverride((error) => {
      throw toOptionError(error, command, context) ?? error
    })
    .action(() => {
      const error = findSecondValue(command, context, false)
      if (error) throw error
      onRead({ command: definition, words: command.args, flags: flagsOf(command) })
    })
}

function describeHelp(command: Command, definition: CliCommand): void {
  const { takesCommand, notes, examples, page } = definition
  const shared = takesCommand
    ? '\nIt also accepts the options of serve that choose a world, like --demo and --fixtures.\n'
    : ''
  const exitCodes = wrap(describeExitCodes(definition), NOTES_WIDTH).join('\n')
  const lines = examples.map((example) => `  $ seo-sandbox ${example}`.trimEnd()).join('\n')
  command.addHelpText(
    'after',
    `${shared}\n${notes}\n${exitCodes}\n\nExamples:\n${lines}\n\nDocumentation: ${page} in the package`,
  )
}

function createOption(name: string, text: FlagText, args: readonly string[]): Option {
  const option = new Option(formOf(name, text), describeOption(text))
  if (text.value === undefined) return option
  return option.argParser<unknown>((value, previous) => {
    // After an option with an optional value, `serve` is the command and not the value.
    if (option.optional && value === STANDARD.name) return true
    if (value.startsWith('--') && !args.includes(`--${name}=${value}`)) {
      throw missingValue(option.flags)
    }
    return text.repeats ? [previous ?? [], value].flat() : value
  })
}

function flagsOf(command: Command): Flags {
  const set = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  return Object.fromEntries(
    set.map((option) => [
      option.name(),
      option.negate || command.getOptionValue(option.attributeName()),
    ]),
  )
}

/**
 * Rewords an error of Commander; undefined for errors that stay as they are, and for help and the version, which Commander also
 * throws.
 */
function toOptionError(
  { code, message }: CommanderError,
  command: Command,
  context: Context,
): OptionError | undefined {
  const { definition } = context
  const [, subject = ''] = /'(.*)'/s.exec(message) ?? []
  switch (code) {
    case 'commander.unknownOption': {
      // A word before an option of the program is an unknown command, which is the error to report.
      const isOption = command.parent !== null || command.args[0] === subject
      return isOption ? unknownOption(definition, subject) : surplusWord(command, context)
    }
    case 'commander.optionMissingArgument':
      return missingValue(subject)
    case 'commander.missingArgument':
      return missingWord(definition, subject)
    case 'commander.excessArguments':
      return findSecondValue(command, context, true) ?? surplusWord(command, context)
    default:
      return undefined
  }
}

function unknownOption(definition: CliCommand, arg: string): OptionError {
  const flag = arg.replace(/=.*/s, '')
  const options = allOptionsOf(definition)
  if (arg !== flag && Object.keys(options).some((name) => flag === `--${name}`)) {
    return new OptionError(`${flag}: This takes no value. Write ${flag} alone, or leave it out.`)
  }
  const meant = findMisspelt(flag.replace(/^-+/, ''), Object.keys(options))
  const question = meant === undefined ? '' : ` Did you mean --${meant}?`
  return new OptionError(
    `${withoutControls(flag)}: This is not an option.${question} seo-sandbox ${definition.name} --help lists them all.`,
  )
}

function missingValue(form: string): OptionError {
  return new OptionError(`${form.split(' ')[0]}: The value is missing. Write ${form}.`)
}

/**
 * Returns the error for a word after the value of a repeatable option that looks like a second value; undefined if there
 * is none. For values like `name=value`, the word must contain `=`; for others, it must be surplus, and must not name a
 * command or an action.
 */
function findSecondValue(
  command: Command,
  { definition, args }: Context,
  isSurplus: boolean,
): OptionError | undefined {
  const { takesCommand, actions = [] } = definition
  const end = takesCommand ? args.length - command.args.length + 1 : [...args, '--'].indexOf('--')
  const ownArgs = args.slice(0, end)
  const isTooMany = isSurplus || (takesCommand && args.includes('--', end))
  const names = [...COMMANDS.map((one) => one.name), ...actions]
  for (const [index, arg] of ownArgs.entries()) {
    const [flag = '', name = ''] = /^--([^=]+)/.exec(arg) ?? []
    const { repeats, value: form = '' } = allOptionsOf(definition)[name] ?? {}
    const next = ownArgs[index + (arg === flag ? 2 : 1)]
    if (!repeats || next === undefined || next.startsWith('-')) continue
    const isValue = form.includes('=') ? next.includes('=') : isTooMany && !names.includes(next)
    if (isValue) {
      return new OptionError(
        `${flag}: This takes one value. For another, write ${flag} again: ${flag} ${withoutControls(next)}.`,
      )
    }
  }
  return undefined
}

function missingWord({ name, words = '', takesCommand }: CliCommand, noun: string): OptionError {
  const usage = `seo-sandbox ${name} ${takesCommand ? '-- ' : ''}${words}`
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a'
  return new OptionError(`seo-sandbox ${name} needs ${article} ${noun}. Write ${usage}.`)
}

function surplusWord(command: Command, { definition }: Context): OptionError {
  const { name, surplusHint = `seo-sandbox ${name} --help shows its usage.` } = definition
  const word = command.args[command.registeredArguments.length] ?? ''
  const isCommand = COMMANDS.some((one) => one.name === word)
  if (definition === STANDARD && !isCommand) return unknownCommand(word)
  return new OptionError(`${describe(word)} is one argument too many. ${surplusHint}`)
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

/** Returns the main help. It fits a terminal of 24 lines and 80 columns, prompt included. */
function programHelp(): string {
  const main = MAIN_COMMANDS.map(({ name, description }) => `  ${name.padEnd(9)} ${description}`)
  return `Usage: seo-sandbox [command] [options]

The Search Content and Reporting Service on your own machine: every endpoint
with every rule, for integrators and their test suites.

Commands:
${main.join('\n')}

More commands: ${MORE_COMMANDS.map(({ name }) => name).join(', ')}.
seo-sandbox serve --help lists the options of serve; other commands likewise.

Examples:
  $ seo-sandbox --demo
  $ seo-sandbox exec --review -- python3 sync.py

Documentation: docs/README.md in the package
`
}
