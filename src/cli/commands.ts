import { describe, withoutControls } from '../contract/describe.ts'
import { suggest } from '../contract/suggestion.ts'
import { environmentName, SERVE_OPTION_NAMES, SERVE_OPTIONS } from './serve-options.ts'
import { OptionError } from '../world/option.ts'
import type { FlagDefinition } from '../world/options.ts'

/** A command of the command line. What it does is loaded when it is asked for. */
export interface CliCommand {
  name: string
  /** What follows the name, like `[path...]`; nothing may where it is omitted. */
  words?: string
  description: string
  options: { flag: string; description: string }[]
  /** What the help says below the options. */
  notes: string
  /** Command lines that the help shows, without the program's name. */
  examples: string[]
  /** Gives the exit code, or nothing where it goes on. */
  run: (words: string[], flags: Record<string, unknown>) => Promise<number | void>
}

const SERVE: CliCommand = {
  name: 'serve',
  words: '[words...]',
  description: 'serve the API over HTTP (what seo-sandbox does by itself)',
  options: SERVE_OPTION_NAMES.map((name) => {
    const definition: FlagDefinition = SERVE_OPTIONS[name]
    const { value, description, default: preset } = definition
    const note = preset === undefined ? '' : ` (default: ${JSON.stringify(preset)})`
    return { flag: value ? `--${name} ${value}` : `--${name}`, description: description + note }
  }),
  notes: `Every option of serve can also be set as an environment variable, like
${environmentName('port')} or ${environmentName('rate-limit')}, and as a key of seo-sandbox.config.yaml in
the current folder. The command line wins over the environment, and that over the file.`,
  examples: [
    '',
    '--fixtures agency.yaml --now 2026-03-15 --frozen',
    'serve --port 0 --rate-limit unlimited --policy foreign-project=403',
  ],
  run: async ([word], flags) => {
    if (word !== undefined) throw unknownCommand(word)
    const { serve } = await import('./serve.ts')
    await serve(flags)
  },
}

const GENERATE: CliCommand = {
  name: 'generate',
  description: 'write a made-up world as a fixture, to be edited',
  options: [
    {
      flag: '--out <file>',
      description: 'the file to write, as JSON if it is a .json; stdout where it is omitted',
    },
    { flag: '--force', description: 'write over a file that is there' },
    { flag: '--projects <number>', description: 'how many projects (default: 5)' },
    { flag: '--agencies <number>', description: 'how many agencies (default: 1)' },
    { flag: '--keywords <number>', description: 'keywords of each project (default: 5)' },
    { flag: '--reports <number>', description: 'reports of each that are due so far (default: 4)' },
    { flag: '--locale <name>', description: 'da, de, en, nl or sv (default: en)' },
    { flag: '--seed <seed>', description: 'what it comes from; the same seed, the same world' },
    { flag: '--now <datetime>', description: 'where its clock starts' },
  ],
  notes: `Served with --fixtures, the file has the answers of the world that it was written from. A large one loads
from JSON in a fraction of the time that YAML takes.`,
  examples: [
    'generate --out agency.yaml',
    'generate --out large.json --projects 200',
    'generate --projects 2 --locale da --seed spring',
  ],
  run: async (_, flags) => {
    const { generate } = await import('./generate.ts')
    await generate(flags)
  },
}

const VALIDATE: CliCommand = {
  name: 'validate',
  words: '[path...]',
  description: 'check fixture files and folders, merged in order as serve would load them',
  options: [{ flag: '--json', description: 'print the problems as one JSON array on stdout' }],
  notes: `Without a path it checks the fixtures that ${environmentName('fixtures')} or seo-sandbox.config.yaml name.
Exit codes: 0 the fixtures are valid, 1 they have problems, 2 used wrongly.`,
  examples: [
    'validate agency.yaml',
    'validate worlds/base.yaml worlds/north',
    'validate --json worlds',
  ],
  run: async (paths, { json }) => {
    const { validate } = await import('./validate.ts')
    return validate(paths, { json: json === true })
  },
}

const INIT: CliCommand = {
  name: 'init',
  words: '[folder]',
  description: 'write a fixture to start from, and a test for the runner of your package.json',
  options: [],
  notes: `The folder is the current one unless you name another. The test is for Vitest, Jest or Playwright, whichever
the nearest package.json depends on, else for node:test. Files that exist are left as they are.`,
  examples: ['init', 'init test'],
  run: async ([folder = '.']) => {
    const { init } = await import('./init.ts')
    return init(folder)
  },
}

const LIST_SCENARIOS: CliCommand = {
  name: 'scenarios',
  description: 'list the scenarios: small worlds, each of which shows one hard case',
  options: [{ flag: '--json', description: 'print them as one JSON array' }],
  notes: `Serve one with --scenario NAME. In JavaScript it is createSandbox({ scenario }).`,
  examples: ['scenarios', '--scenario late-finisher'],
  run: async (_, { json }) => {
    const { listScenarios } = await import('./scenarios.ts')
    listScenarios({ json: json === true })
  },
}

const SHOW_GAPS: CliCommand = {
  name: 'gaps',
  words: '[words...]',
  description: 'list what the specification leaves open, and what is set there',
  options: [
    { flag: '--policy <name=value...>', description: 'policies on top of those that are set' },
    { flag: '--set', description: 'only those that are not at their default' },
    { flag: '--json', description: 'print them as one JSON array' },
  ],
  notes: `A word selects: an id, a section of the specification, or a text. The mark is at the option in force, by
${environmentName('policy')}, seo-sandbox.config.yaml and --policy. What a fixture sets shows in a server
that serves it, at GET /_sandbox/policies.`,
  examples: ['gaps', 'gaps 4.5', 'gaps rate window', 'gaps --set --policy foreign-project=403'],
  run: async (words, { policy, set, json }) => {
    const { showGaps } = await import('./gaps.ts')
    await showGaps(words, { policy, set: set === true, json: json === true })
  },
}

const REPLAY: CliCommand = {
  name: 'replay',
  words: '<file>',
  description: 'play a recorded session again, and tell the first answer that differs',
  options: [{ flag: '--json', description: 'print the outcome as one JSON object on stdout' }],
  notes: `A session is what sandbox.session() gives, or GET /_sandbox/session of a server. Bearer values are not in it.
Exit codes: 0 every answer is the same, 1 one differs, 2 used wrongly.`,
  examples: ['replay bug.json', 'replay --json bug.json'],
  run: async ([file = ''], { json }) => {
    const { replay } = await import('./replay.ts')
    return replay(file, { json: json === true })
  },
}

/** Every command, the default one first, in the order of the help. */
export const COMMANDS: readonly [CliCommand, ...CliCommand[]] = [
  SERVE,
  LIST_SCENARIOS,
  SHOW_GAPS,
  GENERATE,
  VALIDATE,
  REPLAY,
  INIT,
]

/** Says what to write instead of a word that is no command where one is expected. */
export function unknownCommand(word: string): OptionError {
  const names = COMMANDS.map(({ name }) => name)
  if (names.includes(word)) {
    return new OptionError(
      `The command comes before its options. Write seo-sandbox ${word} first, then what belongs to it.`,
    )
  }
  const sentence = `${describe(withoutControls(word))} is not a command.`
  const isPath = /[./\\]/.test(word)
  return new OptionError(
    isPath
      ? `${sentence} A fixture is named with --fixtures ${withoutControls(word)}, or checked with seo-sandbox validate.`
      : `${sentence} ${suggest(word, names)}`,
  )
}
