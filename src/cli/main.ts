import { FixtureError } from '../fixtures/fixture-error.ts'
import { ServerError } from '../server/server-error.ts'
import { OptionError } from '../world/options/option-error.ts'
import { COMMANDS } from './commands.ts'
import type { CliCommand } from './cli-command.ts'
import { parseArguments } from './parse-arguments.ts'
import { printError } from './print.ts'

const USAGE_ERROR = 2

/** Runs the command line, and sets the exit code: usually 0 for success, 1 for a failed check, and 2 for a usage error. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', ignoreClosedOutput).on('error', ignoreClosedOutput)
  }
  const args = argv.slice(2)
  try {
    await run(args)
  } catch (error) {
    const isExpected =
      error instanceof FixtureError || error instanceof OptionError || error instanceof ServerError
    if (!isExpected) throw error
    const command = findCommand(args)
    printError(error.message, pageOf(error, command))
    process.exitCode = command?.failureCode ?? USAGE_ERROR
  }
}

/** Ignores the errors of a closed pipe, as with `| head`, and of a closed terminal, which must not stop a server. */
function ignoreClosedOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
}

async function run(args: readonly string[]): Promise<void> {
  const line = parseArguments(args)
  const code = await line?.command.run(line.words, line.flags)
  if (code !== undefined) process.exitCode = code
}

function findCommand(args: readonly string[]): CliCommand | undefined {
  const commands = args.map((arg) => COMMANDS.find(({ name }) => name === arg))
  return commands.find((command) => command !== undefined)
}

function pageOf(error: unknown, command: CliCommand | undefined): string {
  if (error instanceof FixtureError) return 'docs/fixtures.md'
  const page = error instanceof OptionError ? error.page : undefined
  return page ?? command?.page ?? 'docs/cli.md'
}
