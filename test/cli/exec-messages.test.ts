import { describe, expect, test } from 'vitest'
import { describeEnd } from '../../src/cli/exec/run-command.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** Messages of `seo-sandbox exec` when it runs nothing; `npm run test:processes` runs commands. */

describe('the exit code', () => {
  test.for<[title: string, code: number, args: string[], stderr: RegExp]>([
    ['no command', 125, [], /^error seo-sandbox exec needs a command\. Write .+ -- <command.+\n$/],
    ['an unknown option', 125, ['--timout', '3s', '--', 'true'], /Did you mean --timeout\?/],
    ['no duration', 125, ['--timeout', '3', '--', 'true'], /^error --timeout: "3" is not a dura/],
    ['a month', 125, ['--timeout', 'P1M', '--', 'true'], /^error --timeout: "P1M" is not a durat/],
    ['no time', 125, ['--timeout', '0s', '--', 'true'], /^error --timeout: "0s" is not a durati/],
    ['too much time', 125, ['--timeout', '600h', '--', 'true'], /up to 24 days/],
    [
      'an unknown value',
      125,
      ['--env', 'A=b', '--', 'true'],
      /with url, api, token, control, key or ca/,
    ],
    ['no variable', 125, ['--env', '1=url', '--', 'true'], /^error --env: "1=url" is not a variab/],
    ['no key', 125, ['--env', 'A=key', '--', 'true'], /^error --env A=key: .+--admin-key/],
    ['stdin-close', 125, ['--stdin-close', '--', 'true'], /--stdin-close: This is not an option/],
    ['no HTTPS', 125, ['--env', 'A=ca', '--', 'true'], /^error --env A=ca: The server has no CA /],
    [
      'no control',
      125,
      ['--no-control', '--env', 'A=control', '--', 'true'],
      /^error --env A=control: The control API is off\./,
    ],
    ['no token', 125, ['--fixtures', 'empty.yaml', '--env', 'A=token', '--', 'true'], /no token/],
    [
      'an invalid fixture',
      125,
      ['--fixtures', 'broken.yaml', '--', 'true'],
      /^error broken\.yaml:1/,
    ],
    ['nothing to watch', 125, ['--watch', '--', 'true'], /^error --watch: There is no fixture/],
    ['the help', 0, ['--help'], /^$/],
  ])('%s: %i', async ([, code, args, stderr]) => {
    await using folder = await aFolder({
      'broken.yaml': 'version: 2\n',
      'empty.yaml': 'version: 1\n',
    })
    const outcome = await runCli(['exec', ...args], { cwd: folder.path() })
    expect(outcome).toMatchObject({ code, stderr: expect.stringMatching(stderr) })
    expect(outcome.stdout === '').toBe(code !== 0)
  })

  test.for<[args: string[], message: RegExp]>([
    [
      ['--report', 'html'],
      /^error --report: "html" is not a format and a file: use one like html=rev/,
    ],
    [['--report', 'html='], /is not a format and a file/],
    [['--report', 'pdf=a.pdf'], /with json, junit, markdown or html\.\n$/],
    [['--review', '--store', 'redis://127.0.0.1:1'], /^error --review: A store also has /],
  ])('%j is a usage error', async ([args, message]) => {
    const outcome = await runCli(['exec', ...args, '--', 'true'], { cwd: '.' })
    expect(outcome).toMatchObject({ code: 125, stderr: expect.stringMatching(message) })
  })

  test('options before the command exec: 125', async () => {
    const outcome = await runCli(['--quiet', 'exec', '--', 'true'], { cwd: '.' })
    expect(outcome).toMatchObject({ code: 125, stderr: expect.stringContaining('exec first') })
  })
})

test('what could not be ended is named too', () => {
  const sudo = { pid: 71, name: 'sudo' }
  const sentences = describeEnd({
    code: 0,
    signal: null,
    reason: null,
    isKilled: false,
    received: new Set(),
    processes: { ended: [], left: [sudo, { pid: 72, name: 'sleep' }] },
  })
  expect(sentences).toEqual([
    'These processes could not be ended: sudo (71), sleep (72). End them by hand.',
  ])
})
