import { optionsOf } from './cli-command.ts'
import type { CliCommand } from './cli-command.ts'
import type { FlagText } from '../world/option-flags.ts'
import { COMMANDS } from './commands.ts'
import { wrap } from './wrap.ts'

/** An option or a command, and what it does. */
type Entry = [term: string, description: string]

const VERSION_OPTION: Entry = ['-V, --version', 'output the version number']
const HELP_OPTION: Entry = ['-h, --help', 'display help for command']

/** The help of a command; without one that of the program, with the options of its default command. */
export function formatHelp(command?: CliCommand): string {
  const [standard] = COMMANDS
  const { notes, examples } = command ?? standard
  const options = toEntries(command ?? standard)
  const sections = command
    ? [
        describeUsage(command),
        command.description,
        ...format({ Options: [...options, HELP_OPTION] }),
      ]
    : [
        'Usage: seo-sandbox [options] [command]',
        'The Search Content and Reporting Service on your own machine.',
        ...format({
          Options: [...options, VERSION_OPTION, HELP_OPTION],
          Commands: [
            ...COMMANDS.map(({ name, description }): Entry => [name, description]),
            ['help', 'display help for command'],
          ],
        }),
      ]
  const lines = examples.map((example) => `  $ seo-sandbox ${example}`.trimEnd())
  return `${[...sections, notes, ['Examples:', ...lines].join('\n')].join('\n\n')}\n`
}

function describeUsage({ name, words, takesCommand }: CliCommand): string {
  const parts = ['Usage: seo-sandbox', name, '[options]', takesCommand ? '--' : [], words ?? []]
  return parts.flat().join(' ')
}

function toEntries(command: CliCommand): Entry[] {
  return Object.entries(optionsOf(command)).map(([name, option]) => [
    formOf(name, option),
    describeOption(option),
  ])
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

/** The width of anything that is not a terminal. */
const USUAL_WIDTH = 80

/** In less than this a description is not wrapped. */
const NARROWEST = 40

/** Lists of entries under their titles, with all descriptions in one column. */
function format(lists: Record<string, readonly Entry[]>): string[] {
  const terms = Object.values(lists).flatMap((entries) => entries.map(([term]) => term.length))
  const margin = 2 + Math.max(...terms) + 2
  const { isTTY, columns } = process.stdout
  const width = (isTTY ? columns : USUAL_WIDTH) - margin
  return Object.entries(lists).map(([title, entries]) => {
    const items = entries.map(([term, description]) => {
      const lines = width < NARROWEST ? [description] : wrap(description, width)
      return `  ${term}`.padEnd(margin) + lines.join(`\n${' '.repeat(margin)}`)
    })
    return [`${title}:`, ...items].join('\n')
  })
}
