import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { SERVE_OPTIONS } from '../../src/cli/serve-options.ts'
import type { FlagText } from '../../src/world/options/table.ts'
import { aFolder, fromRoot, runCli } from '../support/cli.ts'

/** An error of the command line names the page of the package's documentation that explains it. */

test.for<[args: string[], page: string]>([
  [['serve', '--port', 'x'], 'docs/any-language.md'],
  [['--policy', 'foreign-project=402'], 'docs/policies.md'],
  [['--fixtures', 'broken.yaml'], 'docs/fixtures.md'],
  [['--admin-key', 'short'], 'docs/hosting/README.md'],
  [['validate', 'nowhere.yaml'], 'docs/fixtures.md'],
  [['exec'], 'docs/judging.md'],
  [['exec', '--', './nowhere'], 'docs/judging.md'],
  [['exec', '--require', 'all', '--', 'true'], 'docs/judging.md'],
  [['rehearse', '--every', 'day', '--', 'true'], 'docs/judging.md'],
  [['replay', 'nowhere.json'], 'docs/journal.md'],
  [['why', 'one'], 'docs/time-and-reports.md'],
  [['partners', 'list'], 'docs/hosting/README.md'],
  [['export'], 'docs/static-demo.md'],
  [['init', 'nowhere'], 'docs/test-runners.md'],
  [['frobnicate'], 'docs/cli.md'],
])('that of %j is named', async ([args, page]) => {
  await using folder = await aFolder({ 'broken.yaml': 'version: 7' })
  const { code, stderr } = await runCli(args, { cwd: folder.path(), withPages: true })
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/^error /m)
  expect(stderr.trimEnd().endsWith(` (${page})`)).toBe(true)
})

const options: FlagText[] = Object.values(SERVE_OPTIONS)
const pages = [...COMMANDS, ...options].flatMap(({ page }) => page ?? [])

test.each([...new Set(pages)])('%s is a page', (page) => {
  expect(existsSync(fromRoot(page))).toBe(true)
})
