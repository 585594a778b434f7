import { Command, CommanderError, Option } from 'commander'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { ServerError } from '../adapters/server-error.ts'
import { suggest } from '../contract/suggestion.ts'
import { environmentName, OptionError, SERVE_OPTION_NAMES, SERVE_OPTIONS } from '../options.ts'
import type { ServeOption } from '../options.ts'
import { VERSION } from '../version.ts'
import { colorsFor } from './colors.ts'

const USED_WRONGLY = 2

/** Runs the command line. It sets the exit code: 0 done, 1 the check failed, 2 used wrongly. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  try {
    await createProgram().parseAsync(argv)
  } catch (error) {
    process.exitCode = report(error)
  }
}

function createProgram(): Command {
  const program = new Command('seo-sandbox')
    .description('The Search Content and Reporting Service on your own machine.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)')
  const command = program
    .command('serve', { isDefault: true })
    .description('serve the API over HTTP (what seo-sandbox does by itself)')
    .usage('[options]')
    .argument('[words...]')
    .exitOverride()
    .action(async (words: string[], flags: Record<string, unknown>) => {
      refuseWords(words, program)
      const { serve } = await import('./serve.ts')
      await serve(flags)
    })
  for (const name of SERVE_OPTION_NAMES) {
    const definition: ServeOption = SERVE_OPTIONS[name]
    const flag = definition.value ? `--${name} ${definition.value}` : `--${name}`
    command.addOption(new Option(flag, `${definition.description}${defaultNote(definition)}`))
  }
  const help = program.createHelp()
  return program
    .configureHelp({
      visibleOptions: () => [...command.options, ...help.visibleOptions(program)],
      subcommandTerm: (subcommand) => subcommand.name(),
    })
    .addHelpText('after', HELP)
}

/** What is left on the command line belongs to no option and is no command. */
function refuseWords([word]: string[], program: Command): void {
  if (word === undefined) return
  const commands = program.commands.map((command) => command.name())
  throw new OptionError(
    `"${word}" is not a command. ${suggest(word, commands)} A fixture is named with --fixtures ${word}`,
  )
}

function defaultNote({ default: value }: ServeOption): string {
  return value === undefined ? '' : ` (default: ${JSON.stringify(value)})`
}

const HELP = `
Every option of serve can also be set as an environment variable, like
${environmentName('port')} or ${environmentName('rate-limit')}, and as a key of seo-sandbox.config.yaml in
the current folder. The command line wins over the environment, and that over the file.

Examples:
  $ seo-sandbox
  $ seo-sandbox --fixtures agency.yaml --now 2026-03-15 --frozen
  $ seo-sandbox serve --port 0 --rate-limit unlimited --policy foreign-project=403`

/** Says what is wrong on stderr, and gives the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USED_WRONGLY
  const isExpected =
    error instanceof FixtureError || error instanceof OptionError || error instanceof ServerError
  if (!isExpected) throw error
  const { red } = colorsFor(process.stderr)
  process.stderr.write(`${red('error')} ${error.message}\n`)
  return USED_WRONGLY
}
