import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { aFolder, runCli, spawnCli } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

/** A folder with a session of three steps, and changed copies of it. */
let folder: Folder

beforeAll(async () => {
  const server = await startServer({ fixtures: aWorld(), port: 0 })
  const headers = { authorization: `Bearer ${AGENCY}` }
  await fetch(`${server.url}/api/v1/projects?page=1`, { headers })
  await server.sandbox.clock.advance('P1D')
  await fetch(`${server.url}/api/v1/projects/1`, { headers })
  const whole = await (await fetch(`${server.url}/_sandbox/session`)).text()
  await server.close()
  folder = await aFolder({
    'bug.json': whole,
    'other.json': whole.replace(/"status":200(?!.*"status":200)/, '"status":404'),
    'saved by an editor.json': `\uFEFF${whole}\r\n`,
    'half.json': whole.slice(0, whole.length / 2),
    'newer.json': whole.replace('"version":1', '"version":3'),
    'terminal-codes.json': whole.replace(
      /"status":200(?!.*"status":200)(.*?)"no-cache, private"/,
      String.raw`"status":200$1"\u001b[2J"`,
    ),
    'fixture.yaml': 'version: 1',
    'snapshot.json': JSON.stringify(await (await createSandbox()).snapshot()),
  })
})
afterAll(() => folder[Symbol.asyncDispose]())

test('a session that a server recorded can be replayed in another process', async () => {
  const outcome = await spawnCli(['replay', 'bug.json'], { cwd: folder.path() })
  expect(outcome).toEqual({ code: 0, stdout: '3 steps, every response the same\n', stderr: '' })
})

test('a byte order mark and a Windows line ending do not matter', async () => {
  const args = ['replay', 'saved by an editor.json']
  const { code, stderr } = await runCli(args, { cwd: folder.path() })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('the first response that differs is reported, with exit code 1', async () => {
  const { code, stdout } = await runCli(['replay', 'other.json'], { cwd: folder.path() })
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^different step 3, GET \/api\/v1\/projects\/1\n {2}status\n {4}was {2}404\n {4}is {3}200\n {2}the body is now \{"data":.*\n$/,
  )
})

test('--json reports the same as JSON', async () => {
  const options = { cwd: folder.path() }
  const same = await runCli(['replay', '--json', 'bug.json'], options)
  expect(JSON.parse(same.stdout)).toEqual({ steps: 3, difference: null })
  const { code, stdout } = await runCli(['replay', '--json', 'other.json'], options)
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    steps: 3,
    difference: { sequence: 3, what: 'status', expected: '404', actual: '200' },
  })
})

test('the content of a file cannot control the terminal', async () => {
  const { code, stdout } = await runCli(['replay', 'terminal-codes.json'], { cwd: folder.path() })
  expect(code).toBe(1)
  expect(stdout).toContain(String.raw`\u001b[2J`)
  expect(stdout).not.toContain('\u001B[2J')
})

test.each([
  [
    'half.json',
    'half.json: This is not a complete session: it is not valid JSON. Record it again.',
  ],
  ['fixture.yaml', 'fixture.yaml: This is not a complete session: it is not valid JSON.'],
  [
    'snapshot.json',
    'snapshot.json: This is not a session. Record it again, with sandbox.session()',
  ],
  [
    'newer.json',
    'newer.json: This session is of version 3, and this release of seo-sandbox reads version 1.',
  ],
  ['nowhere.json', 'nowhere.json: There is no such file. Write the path of a recorded session.'],
  ['.', '.: It cannot be read. Write the path of a file'],
])('%s is refused in a sentence, with exit code 2', async (file, sentence) => {
  const { code, stdout, stderr } = await runCli(['replay', file], { cwd: folder.path() })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(`error ${sentence}`)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})
