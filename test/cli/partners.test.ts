import { expect, test } from 'vitest'
import { tmpdir } from 'node:os'
import { runCli } from '../support/cli.ts'

/** Refusals of `seo-sandbox partners`; test/store/partners-command.test.ts covers its actions. */

const NOWHERE = ['--store', 'redis://127.0.0.1:1']

test.for<[args: string[], sentence: RegExp]>([
  [[], /needs an action/],
  [['add'], /partners add NAME/],
  [['add', 'Acme', 'Ltd', ...NOWHERE], /quotation marks/],
  [['renew'], /partners renew PARTNER/],
  [['list', 'Acme'], /Write seo-sandbox partners list/],
  [['lst'], /Did you mean "list"/],
  [['list'], /Partners need a store.+--store/],
  [['add', 'Acme'], /Partners need a store.+--store/],
  [['list', '--store', 'http://127.0.0.1'], /--store.+redis:/],
  [['add', 'Acme', ...NOWHERE, '--expires', '30'], /--expires: "30".+P30D/],
  [['add', 'Acme', ...NOWHERE, '--grace', 'P11Y'], /--grace: "P11Y".+P10Y at most/],
  [['add', 'a\u0007b', ...NOWHERE], /NAME: A name has/],
  [['add', 'Acme', ...NOWHERE, '--demo', '--projects', '3'], /--demo: The demo is a whole world/],
  [['add', 'Acme', ...NOWHERE, '--locale', 'da'], /--locale: Only generated data/],
  [['add', 'Acme', ...NOWHERE, '--scenario', 'nowhere'], /"nowhere" is not a scenario/],
  [['add', 'Acme', ...NOWHERE, '--admin-key', 'x'], /--admin-key/],
])('partners %j is a usage error', async ([args, sentence], { expect: expectHere }) => {
  const { code, stdout, stderr } = await runCli(['partners', ...args], { cwd: tmpdir() })
  expectHere([code, stdout]).toEqual([2, ''])
  expectHere(stderr).toMatch(sentence)
  expectHere(stderr.trim().split('\n')).toHaveLength(1)
})

test('limits of worlds need a store too', async () => {
  const { code, stderr } = await runCli(['--limits', 'requests=5'], { cwd: tmpdir() })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--limits.+--store/)])
})
