import { describe, expect, test, vi } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { parseArguments } from '../../src/cli/parse-arguments.ts'
import { OptionError } from '../../src/world/options/option-error.ts'

function parse(line: string) {
  return parseArguments(line === '' ? [] : line.split(' '))
}

/** The output of a command line that runs no command. */
function print(line: string): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    expect(parse(line)).toBeUndefined()
    return write.mock.calls.join('')
  } finally {
    write.mockRestore()
  }
}

describe('an option takes one value, and is repeated for more', () => {
  test.each<[line: string, name: string, words: string[], flags: Record<string, unknown>]>([
    ['', 'serve', [], {}],
    ['serve', 'serve', [], {}],
    ['--policy a=b --policy c=d', 'serve', [], { policy: ['a=b', 'c=d'] }],
    ['--fixtures a.yaml --fixtures=b', 'serve', [], { fixtures: ['a.yaml', 'b'] }],
    ['--fixtures a.yaml --frozen', 'serve', [], { fixtures: ['a.yaml'], frozen: true }],
    ['--policy foreign-project=403 serve', 'serve', [], { policy: ['foreign-project=403'] }],
    ['--fixtures a.yaml serve --port 0', 'serve', [], { fixtures: ['a.yaml'], port: '0' }],
    ['--fixtures serve', 'serve', [], { fixtures: ['serve'] }],
    ['--scenario serve', 'serve', [], { scenario: 'serve' }],
    ['--state init.json serve', 'serve', [], { state: 'init.json' }],
    ['--port 1 --port 2', 'serve', [], { port: '2' }],
    ['--port -1', 'serve', [], { port: '-1' }],
    ['--admin-key=--k=1', 'serve', [], { 'admin-key': '--k=1' }],
    ['--policy G-024=-1', 'serve', [], { policy: ['G-024=-1'] }],
    ['--trust-proxy serve --json', 'serve', [], { 'trust-proxy': true, json: true }],
    ['--trust-proxy 2 serve', 'serve', [], { 'trust-proxy': '2' }],
    ['--no-control --trust-proxy', 'serve', [], { 'no-control': true, 'trust-proxy': true }],
    ['validate --json serve init', 'validate', ['serve', 'init'], { json: true }],
    ['validate a -- --odd.yaml -h', 'validate', ['a', '--odd.yaml', '-h'], {}],
    ['gaps rate --policy a=b G-013', 'gaps', ['rate', 'G-013'], { policy: ['a=b'] }],
    ['gaps --policy a=b -- c=d', 'gaps', ['c=d'], { policy: ['a=b'] }],
    ['review --projects 1 a.json', 'review', ['a.json'], { projects: ['1'] }],
    ['review --report html=a -- b=c', 'review', ['b=c'], { report: ['html=a'] }],
    ['partners --locale da list', 'partners', ['list'], { locale: ['da'] }],
    ['exec --env A=url -- B=token x', 'exec', ['B=token', 'x'], { env: ['A=url'] }],
    ['exec --env A=url sh -c true', 'exec', ['sh', '-c', 'true'], { env: ['A=url'] }],
    ['exec --policy a=b sh -- c=d', 'exec', ['sh', '--', 'c=d'], { policy: ['a=b'] }],
    ['exec --demo npm test -- --json', 'exec', ['npm', 'test', '--', '--json'], { demo: true }],
  ])('%s', (line, name, words, flags) => {
    const { command, ...rest } = parse(line) ?? {}
    expect({ name: command?.name, ...rest }).toEqual({ name, words, flags })
  })

  test.each<[line: string, name: string, value: string]>([
    ['--policy a=b c=d', 'policy', 'c=d'],
    ['serve --policy=a=b c=d --json', 'policy', 'c=d'],
    ['--policy a=b --policy c=d e=f', 'policy', 'e=f'],
    ['--fixtures one two', 'fixtures', 'two'],
    ['--fixtures one two serve --port 0', 'fixtures', 'two'],
    ['--cors http://a http://b', 'cors', 'http://b'],
    ['--limits requests=20 records=5', 'limits', 'records=5'],
    ['--locale da en --demo', 'locale', 'en'],
    ['generate --locale da en', 'locale', 'en'],
    ['gaps --policy a=b c=d rate', 'policy', 'c=d'],
    ['gaps rate --policy a=b c=d', 'policy', 'c=d'],
    ['review --report html=a junit=b a.json', 'report', 'junit=b'],
    ['review a.json --report html=a junit=b', 'report', 'junit=b'],
    ['review --projects 1 2 a.json', 'projects', '2'],
    ['review a.json --projects 1 2', 'projects', '2'],
    ['partners add Acme --locale da en', 'locale', 'en'],
    ['partners --fixtures one two add Acme', 'fixtures', 'two'],
    ['exec --env A=url B=token -- sh', 'env', 'B=token'],
    ['exec --fixtures one two -- sh', 'fixtures', 'two'],
    ['exec --report html=a junit=b -- sh', 'report', 'junit=b'],
  ])('%s is refused', (line, name, value) => {
    const sentence = `--${name}: This takes one value. For another, write --${name} again: --${name} ${value}.`
    expect(() => parse(line)).toThrow(new OptionError(sentence))
  })

  test.each<[line: string, sentence: string]>([
    ['--fixtures a.yaml serve b', '"b" is not a command.'],
    ['--locale da serve extra', '"extra" is not a command.'],
    ['--policy a=b serve extra', '"extra" is not a command.'],
    ['partners --locale da add Acme Corp', '"Corp" is one argument too many. Put a name of'],
  ])('the words after a value need not be values: %s', (line, sentence) => {
    expect(() => parse(line)).toThrow(sentence)
  })

  test('of every command, options that can be repeated say so in its help', () => {
    const repeated = COMMANDS.flatMap((command) => {
      const help = print(`${command.name} --help`).replaceAll(/\n {9,}/g, ' ')
      const lines = help.split('\n').filter((line) => line.endsWith('(can be repeated)'))
      return lines.map((line) => `${command.name} ${line.trim().split(' ')[0]}`)
    })
    expect(repeated).toEqual([
      ...['--fixtures', '--locale', '--policy', '--cors', '--limits'].map(
        (flag) => `serve ${flag}`,
      ),
      'generate --locale',
      ...['--env', '--report', '--require'].map((flag) => `exec ${flag}`),
      ...['--env', '--require', '--report'].map((flag) => `rehearse ${flag}`),
      ...['--fixtures', '--locale', '--policy'].map((flag) => `export ${flag}`),
      'partners --fixtures',
      'partners --locale',
      'gaps --policy',
      'traffic --filter',
      'review --report',
      'review --require',
      'review --projects',
      'compare --report',
    ])
  })
})

test('the first help fits 24 lines of 80 columns and names every command', () => {
  const help = print('--help')
  const lines = help.trimEnd().split('\n')
  expect(lines.length).toBeLessThan(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  for (const { name } of COMMANDS) expect(help).toMatch(new RegExp(`\\b${name}\\b`))
})

test.each(['exec', 'rehearse'])('the help of %s lists its own options only', (name) => {
  const help = print(`${name} --help`)
  const { options = {} } = COMMANDS.find((command) => command.name === name) ?? {}
  const listed = [...help.matchAll(/^ {2}--([\w-]+)/gm)].map(([, option]) => option)
  expect(listed).toEqual(Object.keys(options))
  expect(help).toContain(
    'It also accepts the options of serve that choose a world, like --demo and --fixtures.\n',
  )
})

test.each(COMMANDS)('$name has --json', ({ options }) => {
  expect(options).toHaveProperty('json')
})

test.each<[line: string, printed: RegExp]>([
  ['--version', /^\d+\.\d+\.\d+\n$/],
  ['-V', /^\d+\.\d+\.\d+\n$/],
  ['--help', /^Usage: seo-sandbox \[command\] \[options\]\n/],
  ['--port 0 -h', /^Usage: seo-sandbox \[command\] \[options\]\n/],
  ['help', /^Usage: seo-sandbox \[command\] \[options\]\n/],
  ['help help', /^Usage: seo-sandbox \[command\] \[options\]\n/],
  ['help exec', /^Usage: seo-sandbox exec \[options\] -- <command\.\.\.>\n/],
  ['serve --help', /^Usage: seo-sandbox serve \[options\]\n/],
  ['replay -h', /^Usage: seo-sandbox replay \[options\] <file>\n/],
])('%s prints %s', (line, printed) => {
  expect(print(line)).toMatch(printed)
})

describe('in one style it is refused with what to write instead', () => {
  test.each<[line: string, sentence: string]>([
    [
      '--fixtures a.yaml validate',
      'The command comes before its options. Write seo-sandbox validate first, then its options.',
    ],
    ['--fixtures --json', '--fixtures: The value is missing. Write --fixtures <path>.'],
    ['--port', '--port: The value is missing. Write --port <number>.'],
    ['generate --locale', '--locale: The value is missing. Write --locale <name>.'],
    ['--frozen=maybe', '--frozen: This takes no value. Write --frozen alone, or leave it out.'],
    [
      '--polcy x',
      '--polcy: This is not an option. Did you mean --policy? seo-sandbox serve --help lists them all.',
    ],
    [
      '--polcy=x',
      '--polcy: This is not an option. Did you mean --policy? seo-sandbox serve --help lists them all.',
    ],
    [
      '-port 1',
      '-port: This is not an option. Did you mean --port? seo-sandbox serve --help lists them all.',
    ],
    ['serve -V', '-V: This is not an option. seo-sandbox serve --help lists them all.'],
    ['gaps -x', '-x: This is not an option. seo-sandbox gaps --help lists them all.'],
    [
      'gaps --constructor',
      '--constructor: This is not an option. seo-sandbox gaps --help lists them all.',
    ],
    ['generate x', '"x" is one argument too many. seo-sandbox generate --help shows its usage.'],
    ['init a b', '"b" is one argument too many. seo-sandbox init --help shows its usage.'],
    ['serve gaps', '"gaps" is one argument too many. seo-sandbox serve --help shows its usage.'],
    [
      'review --report html=a -- b c',
      '"c" is one argument too many. seo-sandbox review --help shows its usage.',
    ],
    ['replay', 'seo-sandbox replay needs a file. Write seo-sandbox replay <file>.'],
    ['exec --json', 'seo-sandbox exec needs a command. Write seo-sandbox exec -- <command...>.'],
    [
      'partners',
      'seo-sandbox partners needs an action. Write seo-sandbox partners <action> [partner].',
    ],
    [
      'serve a.yaml',
      '"a.yaml" is not a command. Serve a fixture with --fixtures a.yaml, or check it with seo-sandbox validate.',
    ],
    [
      'frobnicate --foo',
      '"frobnicate" is not a command. Use one of: serve, init, validate, generate, exec, rehearse, export, partners, scenarios, gaps, traffic, why, replay, review, compare.',
    ],
    [
      'help validat',
      '"validat" is not a command. Did you mean "validate"? Use one of: serve, init, validate, generate, exec, rehearse, export, partners, scenarios, gaps, traffic, why, replay, review, compare.',
    ],
  ])('%s', (line, sentence) => {
    expect(() => parse(line)).toThrow(new OptionError(sentence))
  })
})
