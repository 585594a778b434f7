import { MAIN_COMMANDS, MORE_COMMANDS } from './commands.ts'

/** The first help. It fits a terminal of 24 lines and 80 columns, prompt included. */
export function programHelp(): string {
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
