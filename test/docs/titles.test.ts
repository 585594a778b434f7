import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fromRoot } from '../support/cli.ts'
import { STATEMENTS } from './statements.ts'

/** docs/conformance.md against the tests that it names. */

const VITEST = fromRoot('node_modules/vitest/vitest.mjs')

test('every statement of docs/conformance.md names a test that exists', async () => {
  const titles = await listTitles()
  const missing = STATEMENTS.filter(({ title }) => !titles.has(title)).map(({ id, title }) =>
    title === '' ? `${id}: no test` : `${id}: no test has the title "${title}"`,
  )
  expect(missing).toEqual([])
})

/**
 * The titles of the tests that the page can name. Vitest only collects them: nothing runs. Without
 * isolation it loads the sources once for all files.
 *
 * @throws Error with the output of vitest if a test file cannot be collected.
 */
async function listTitles(): Promise<Set<string>> {
  const flags = ['--json', '--no-isolate', '--maxWorkers=1']
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [VITEST, 'list', ...flags, 'test/contract', 'test/engine'],
    { cwd: fromRoot('.'), maxBuffer: 64 * 1024 * 1024 },
  )
  const tests = JSON.parse(stdout) as { name: string }[]
  return new Set(tests.map(({ name }) => name))
}
