import { listWithOr } from '../contract/text.ts'
import type { Contents } from '../compare/reading.ts'
import { PublicUrlOption } from '../server/server-options.ts'
import type { FlagText } from '../world/options/table.ts'
import { option, listOption, Switch } from '../world/options/parse-option.ts'
import { toReportFile } from './command-options.ts'
import type { FlagDefinition } from './serve-options.ts'

const CONTENTS = ['latest', 'all', 'none'] as const satisfies readonly Contents[]

export const COMPARISON_FORMAT_NAMES = ['json', 'junit', 'markdown'] as const

const TextOption = option<string>(
  (input) => (typeof input === 'string' && input !== '' ? input : undefined),
  { noun: 'a name', remedy: 'write one' },
)

export const COMPARE_OPTIONS = {
  url: {
    value: '<url>',
    description: 'the service, by the URL that /api/v1 is below',
    read: PublicUrlOption,
  },
  'token-env': {
    value: '<name>',
    description: 'the environment variable with the token',
    default: 'SEO_TOKEN',
    read: option<string>(
      (input) => (typeof input === 'string' && /^[A-Za-z_]\w*$/.test(input) ? input : undefined),
      { noun: 'the name of a variable', remedy: 'use one like SEO_TOKEN' },
    ),
  },
  fixtures: {
    value: '<file>',
    description: 'compare with this fixture instead of one that is read from the service',
    read: TextOption,
  },
  out: {
    value: '<file>',
    description: 'write what was read as a fixture, in YAML, with the token compared',
    read: TextOption,
  },
  raw: {
    description: 'write names and texts as they are, and values of differences into reports',
    read: Switch,
  },
  content: {
    value: '<which>',
    description: `the contents that are read, of each project's last generated report or of all: ${listWithOr(CONTENTS)}`,
    default: 'latest',
    read: option<Contents>((input) => CONTENTS.find((one) => one === input), {
      noun: 'a choice of contents',
      remedy: `use ${listWithOr(CONTENTS)}`,
    }),
  },
  share: {
    value: '<number>',
    description: 'the share of both rate limits that it uses, up to 1',
    default: 0.5,
    read: option<number>(
      (input) => {
        const share = Number(input)
        return share > 0 && share <= 1 ? share : undefined
      },
      { noun: 'a share', remedy: 'use a number above 0 and up to 1, like 0.5' },
    ),
  },
  rate: {
    value: '<limit>',
    description: "the token's limits, as far as its answers do not show lower ones",
    // Has no `read`, because the reader of rate limits is loaded only with `compare.ts`.
    default: '60/min,1000/h',
  },
  plan: { description: 'print the requests and how long they take, and send none', read: Switch },
  resume: {
    value: '<file>',
    description:
      'keep the answers in this file, encrypted, and continue from it after an interruption',
    read: TextOption,
  },
  lock: {
    value: '<file>',
    description: 'compare what was seen with policies.lock.yaml, or write it if there is none',
    read: TextOption,
  },
  'update-lock': { description: 'rewrite the file of --lock', read: Switch },
  ca: {
    value: '<file>',
    description: 'certificates that are trusted, as PEM, such as that of a sandbox with --https',
    read: TextOption,
  },
  report: {
    value: '<format=file>',
    repeats: true,
    description: `also write the report to a file, as ${listWithOr(COMPARISON_FORMAT_NAMES)}`,
    read: listOption((text) => toReportFile(text, COMPARISON_FORMAT_NAMES) !== undefined, {
      noun: 'a format and a file',
      remedy: `use one like json=compare.json, with ${listWithOr(COMPARISON_FORMAT_NAMES)}`,
    }),
  },
  json: { description: 'print the report as one JSON object on stdout', read: Switch },
} as const satisfies Record<string, FlagText | FlagDefinition>
