import { describe, expect, test } from 'vitest'
import { arrangeArguments } from '../../src/cli/arrange-arguments.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { OptionError } from '../../src/world/option-error.ts'

describe('an option of several values takes no command and no word that follows', () => {
  test.each<[line: string, arranged: string]>([
    ['--policy foreign-project=403 serve', 'serve --policy=foreign-project=403'],
    ['--fixtures a.yaml b serve --port 0', 'serve --fixtures=a.yaml --fixtures=b --port=0'],
    ['--cors http://a http://b serve', 'serve --cors=http://a --cors=http://b'],
    ['--trust-proxy serve --json', 'serve --trust-proxy --json'],
    ['--trust-proxy 2 serve', 'serve --trust-proxy=2'],
    ['--port 0 serve', 'serve --port=0'],
    ['serve --fixtures a.yaml --fixtures=b', 'serve --fixtures=a.yaml --fixtures=b'],
    ['--fixtures a.yaml --frozen', '--fixtures=a.yaml --frozen'],
    ['--policy G-024=-1 list-order=id', '--policy=G-024=-1 --policy=list-order=id'],
    ['gaps --policy list-order=id G-013 rate', 'gaps --policy=list-order=id -- G-013 rate'],
    ['gaps --policy list-order', 'gaps --policy=list-order'],
    ['--scenario serve', '--scenario=serve'],
    ['--state init.json serve', 'serve --state=init.json'],
    ['--port -1', '--port=-1'],
    ['validate --json serve init', 'validate --json -- serve init'],
    [
      'review --report html=a.html junit=b.xml a.json',
      'review --report=html=a.html --report=junit=b.xml -- a.json',
    ],
    ['review a.json --projects 1 2 --json', 'review --projects=1 --projects=2 --json -- a.json'],
    ['validate -- --odd.yaml', 'validate -- --odd.yaml'],
    ['serve --help', 'serve --help'],
    ['--version', '--version'],
    ['help serve', 'help serve'],
    ['', ''],
  ])('%s', (line, arranged) => {
    const args = line === '' ? [] : line.split(' ')
    expect(arrangeArguments(args).join(' ')).toBe(arranged)
  })
})

test.each(COMMANDS)('$name has --json', ({ name }) => {
  const word = ['replay', 'review', 'exec', 'partners'].includes(name) ? ['word'] : []
  expect(arrangeArguments([name, '--json', ...word])).toContain('--json')
})

describe('in one style it is refused with what to write instead', () => {
  test.each<[line: string, sentence: string]>([
    [
      '--fixtures a.yaml validate',
      'The command comes before its options. Write seo-sandbox validate first, then its options.',
    ],
    ['--fixtures serve', '--fixtures: The value is missing. Write --fixtures <path...>.'],
    ['--fixtures --json', '--fixtures: The value is missing. Write --fixtures <path...>.'],
    ['generate --locale', '--locale: The value is missing. Write --locale <name...>.'],
    ['--frozen=maybe', '--frozen: This takes no value. Write --frozen alone, or leave it out.'],
    [
      '--polcy x',
      '--polcy: This is not an option. Did you mean --policy? seo-sandbox serve --help lists them all.',
    ],
    ['serve -V', '-V: This is not an option. seo-sandbox serve --help lists them all.'],
    ['gaps -x', '-x: This is not an option. seo-sandbox gaps --help lists them all.'],
    ['generate x', '"x" is one word too many. seo-sandbox generate --help shows what it takes.'],
    ['init a b', '"b" is one word too many. seo-sandbox init --help shows what it takes.'],
    ['serve gaps', '"gaps" is one word too many. seo-sandbox serve --help shows what it takes.'],
    ['replay', 'seo-sandbox replay needs a file. Write seo-sandbox replay <file>.'],
    [
      'serve a.yaml',
      '"a.yaml" is not a command. Serve a fixture with --fixtures a.yaml, or check it with seo-sandbox validate.',
    ],
    [
      'frobnicate --foo',
      '"frobnicate" is not a command. Use one of: serve, exec, scenarios, gaps, generate, validate, partners, replay, review, init.',
    ],
    [
      'help validat',
      '"validat" is not a command. Did you mean "validate"? Use one of: serve, exec, scenarios, gaps, generate, validate, partners, replay, review, init.',
    ],
  ])('%s', (line, sentence) => {
    expect(() => arrangeArguments(line.split(' '))).toThrow(new OptionError(sentence))
  })
})
