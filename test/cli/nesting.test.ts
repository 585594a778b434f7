import { expect, test } from 'vitest'
import { TOO_DEEP } from '../../src/contract/nesting.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** Files that are nested too deeply; `npm run test:processes` covers files that could end the process. */

const DEEP_JSON = `{ "version": 1, "steps": ${'['.repeat(850)}${']'.repeat(850)} }`

test.each([
  {
    args: ['replay', 'deep.json'],
    says: 'deep.json:1:89: This is not a session: it is nested more than 64 levels deep. Record it again.',
  },
  {
    args: ['--port', '0', '--state', 'deep.json'],
    says: 'deep.json:1:89: This is not a state: it is nested more than 64 levels deep. Move the file away to begin from the fixtures; it was not changed.',
  },
  { args: ['--port', '0', '--fixtures', 'deep.json'], says: `deep.json:1:89\n  ${TOO_DEEP}` },
])('$args is refused with exit code 2', async ({ args, says }) => {
  await using folder = await aFolder({ 'deep.json': DEEP_JSON })
  const outcome = await runCli(args, { cwd: folder.path() })
  expect(outcome).toEqual({ code: 2, stdout: '', stderr: `error ${says}\n` })
})

test('a config file that is nested too deeply is refused with exit code 2', async () => {
  const file = 'seo-sandbox.config.yaml'
  await using folder = await aFolder({ [file]: `cors: ${'['.repeat(850)}` })
  const { code, stderr } = await runCli(['gaps'], { cwd: folder.path() })
  expect([code, stderr]).toEqual([2, `error ${file}:1:70\n  ${TOO_DEEP}\n`])
})
