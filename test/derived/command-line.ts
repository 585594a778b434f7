import type { CliCommand } from '../../src/cli/cli-command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { describeOption, exitCodesOf, formOf } from '../../src/cli/cli-command.ts'
import { environmentName } from '../../src/cli/serve-options.ts'
import type { ServeOptionName } from '../../src/cli/serve-options.ts'
import { code, table } from './markdown.ts'

/** A section for each command of the command line. */
export function commandLineSections(): string {
  return COMMANDS.map(section).join('\n\n')
}

function section(command: CliCommand): string {
  const { name, description, notes, examples } = command
  return [
    `## ${name}`,
    sentence(description),
    ...(Object.keys(command.options).length === 0 ? [] : [optionTable(command)]),
    // The top of the page has the notes of serve.
    ...(name === 'serve' ? [] : [notes.replaceAll(CODE, code('$&'))]),
    ...examplesOf(name, examples),
  ].join('\n\n')
}

function optionTable({ name, options }: CliCommand): string {
  const isServe = name === 'serve'
  const variable = isServe ? ['environment variable'] : []
  return table(
    ['option', ...variable, 'description'],
    Object.entries(options).map(([option, definition]) => [
      code(formOf(option, definition)),
      ...(isServe ? [code(environmentName(option as ServeOptionName))] : []),
      describeOption(definition),
    ]),
  )
}

/** The results of each command: its exit codes, and its output with `--json`. */
export function outcomeTable(): string {
  return table(
    ['command', 'exit codes', 'prints with `--json`'],
    COMMANDS.map((command) => [
      `[${code(command.name)}](#${command.name})`,
      exitCodesOf(command)
        .map(([exit, meaning]) => `**${exit}** ${meaning.replaceAll(CODE, code('$&'))}`)
        .join('; '),
      command.prints.replaceAll(CODE, code('$&')),
    ]),
  )
}

/** Code in the notes, which the help has no way to mark. */
const CODE =
  /SEO_SANDBOX_\w+|seo-sandbox\.config\.yaml|--[a-z][a-z-]*(?: NAME)?|GET \/\S+\w|\w+\.\w+\(\)|\w+\(\{.*?\}\)/g

/** A block for each server, which runs until it is stopped; one block for everything else. */
function examplesOf(name: string, examples: readonly string[]): string[] {
  const lines = examples.map((example) => `npx seo-sandbox ${example}`.trimEnd())
  const blocks = name === 'serve' ? lines : [lines.join('\n')]
  return blocks.map((block) => `\`\`\`sh\n${block}\n\`\`\``)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
