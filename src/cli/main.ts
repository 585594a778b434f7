import { Command, CommanderError } from 'commander'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { ServerError } from '../server/server-error.ts'
import { OptionError } from '../world/option-error.ts'
import { VERSION } from '../contract/version.ts'
import { arrangeArguments } from './arrange-arguments.ts'
import { COMMANDS } from './commands.ts'
import type { CliCommand } from './commands.ts'
import { printError } from './print-error.ts'

const USAGE_ERROR = 2

/** Runs the command line. It sets the exit code: 0 success, 1 the check failed, 2 usage error; `exec` has others. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', ignoreClosedOutput).on('error', ignoreClosedOutput)
  }
  try {
    await createProgram().parseAsync(arrangeArguments(argv.slice(2)), { from: 'user' })
  } catch (error) {
    process.exitCode = report(error, failureCodeOf(argv))
  }
}

/** A closed pipe, as with `| head`, or terminal is not an error and does not stop a server. */
function ignoreClosedOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
}

function createProgram(): Command {
  const program = new Command('seo-sandbox')
    .description('The Search Content and Reporting Service on your own machine.')
    .version(VERSION)
    .exitOverride()
  const [standard] = COMMANDS
  for (const command of COMMANDS) addCommand(program, command, command === standard)
  const help = program.createHelp()
  const [standardCommand] = program.commands
  return program
    .configureHelp({
      visibleOptions: () => [...(standardCommand?.options ?? []), ...help.visibleOptions(program)],
      subcommandTerm: (subcommand) => subcommand.name(),
    })
    .addHelpText('after', helpAfter(standard))
}

function addCommand(program: Command, definition: CliCommand, isDefault: boolean): void {
  const { name, words, description, options, shared = [], takesCommand, run } = definition
  const command = program
    .command(name, { isDefault })
    .description(description)
    .addHelpText('after', helpAfter(definition))
    .action(async () => {
      const code = await run(command.args, command.opts())
      if (code !== undefined) process.exitCode = code
    })
  if (words !== undefined) command.argument(words)
  for (const { flag, description: what } of [...options, ...shared]) {
    command.option(flag, what)
  }
  if (isDefault) command.usage('[options]')
  if (takesCommand) command.usage(`[options] -- ${words}`)
}

function helpAfter({ notes, examples }: CliCommand): string {
  const lines = examples.map((example) => `  $ seo-sandbox ${example}`.trimEnd())
  return `\n${notes}\n\nExamples:\n${lines.join('\n')}`
}

/** That of the command, also where it was not written first. */
function failureCodeOf(argv: readonly string[]): number {
  const commands = argv.slice(2).map((arg) => COMMANDS.find(({ name }) => name === arg))
  return commands.find((command) => command !== undefined)?.failureCode ?? USAGE_ERROR
}

/** Writes the error to stderr, and returns the exit code. */
function report(error: unknown, failureCode: number): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failureCode
  const isExpected =
    error instanceof FixtureError || error instanceof OptionError || error instanceof ServerError
  if (!isExpected) throw error
  printError(error.message)
  return failureCode
}
