import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseFixtures } from '../../src/fixtures/parse-fixture.ts'
import { loadFixtures } from '../../src/server.ts'
import { aFolder, fromRoot, runCli } from '../support/cli.ts'

/** Files written on Windows, by editors or git: lines end with CRLF, and the first may begin with a byte order mark. */

const withCrlf = (text: string) => text.replaceAll('\n', '\r\n')

/** A folder name that is possible on any system. */
const FOLDER = "it's #1, 100%25 & søn [a]"

const examples = readdirSync(fromRoot('fixtures/examples')).map((name) => `examples/${name}`)

test.for(['default.yaml', ...examples])('fixtures/%s is the same', async (name) => {
  const text = readFileSync(fromRoot(`fixtures/${name}`), 'utf8')
  await using folder = await aFolder({ [`${FOLDER}/a.yaml`]: `\uFEFF${withCrlf(text)}` })
  const { files } = await loadFixtures(folder.path(FOLDER))
  expect(files).toHaveLength(1)
  expect(files[0]?.text).toContain('\r\n')
  expect(await parseFixtures({ files })).toEqual(await parseFixtures(text))
})

const CONFIG = 'scenario: latest-404\npolicy:\n  foreign-project: 403\n'
const WRONG = 'version: 1\nagencies:\n  - id: 1\n    nam: |\n      Lake\n      Moor\n'
const session = (name: string) => readFileSync(fromRoot(`test/data/formats/${name}`), 'utf8')

test.for<[title: string, files: Record<string, string>, args: string[], code: number]>([
  ['a config file', { 'seo-sandbox.config.yaml': CONFIG }, ['gaps', '--json'], 0],
  ['a wrong one', { 'seo-sandbox.config.yaml': `${CONFIG}prot: 1\n` }, ['gaps'], 2],
  ['a wrong fixture', { 'a.yaml': WRONG }, ['validate', 'a.yaml'], 1],
  ['a wrong fixture in JSON', { 'a.json': '{\n "version": 2\n}\n' }, ['validate', 'a.json'], 1],
  [
    'a package.json',
    { 'package.json': '{\n "type": "module"\n}\n', 'agency.test.js': '' },
    ['init'],
    0,
  ],
  ['a session', { 'a.json': session('written.session.json') }, ['replay', 'a.json'], 0],
  [
    'half a session',
    { 'a.json': session('written.session.json').slice(0, 200) },
    ['replay', 'a.json'],
    2,
  ],
])('%s leads to the same', async ([, files, args, code]) => {
  const run = async (change: (text: string) => string) => {
    const entries = Object.entries(files).map(([name, text]) => [`${FOLDER}/${name}`, change(text)])
    await using folder = await aFolder(Object.fromEntries(entries) as Record<string, string>)
    return await runCli(args, { cwd: folder.path(FOLDER) })
  }
  const usual = await run((text) => text)
  expect(usual.code).toBe(code)
  expect(await run(withCrlf)).toEqual(usual)
  expect(await run((text) => `\uFEFF${withCrlf(text)}`)).toEqual(usual)
})
