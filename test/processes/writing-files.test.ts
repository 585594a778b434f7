import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { aFolder, fromRoot, spawnCli } from '../support/cli.ts'

/** Files that `generate` and `init` write to a full disk, or to a pipe. */

test.each([
  { line: ['generate', '--out', 'new.yaml'], file: 'new.yaml' },
  { line: ['generate', '--out', 'here.yaml', '--force'], file: 'here.yaml' },
  { line: ['export', '--postman', 'here.yaml'], file: '--postman here.yaml' },
  { line: ['init'], file: 'agency.yaml' },
])('$line leaves no part of a file that the disk cannot take', async ({ line, file }) => {
  await using folder = await aFolder({ 'here.yaml': 'mine' })
  const { code, stderr } = await spawnCli(line, { cwd: folder.path(), fileLimit: 0 })
  const reason = 'It exceeds the maximum size of a file.'
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error ${file}: ${reason}`)])
  expect(await folder.list()).toEqual(['here.yaml'])
  expect(await folder.read('here.yaml')).toBe('mine')
})

test('generate --force writes to a pipe', async () => {
  const line = ['generate', '--force', '--out', '/dev/stdout', '--projects', '1']
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    '"$0" "$@" | cat',
    process.execPath,
    fromRoot('bin/seo-sandbox.js'),
    ...line,
  ])
  expect(stdout).toContain('# yaml-language-server')
})
