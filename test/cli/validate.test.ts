import { describe, test } from 'vitest'
import { environmentName } from '../../src/cli/serve-options.ts'
import { aFolder, runCli } from '../support/cli.ts'
import type { Outcome } from '../support/cli.ts'

const CONFIG = 'seo-sandbox.config.yaml'

const NORTH = `version: 1
agencies:
  - { id: 1, name: North }
`
const PROJECT = `projects:
  - id: 1
    agency: 1
    name: Harbour
    status: active
    created_at: now-3d
    keywords: [{ id: 1, keyword: fish, create_date: now }, { id: 2, keyword: prawns, create_date: now }]
`
const WRONG = `version: 1
agencies:
  - { id: 1, nme: North }
users:
  - { id: 1, name: Maja, agency: 9 }
`

interface Attempt {
  args?: string[]
  files?: Record<string, string>
  env?: Record<string, string>
}

/** `seo-sandbox validate` in a folder with these files. */
async function validate({ args = [], files = {}, env = {} }: Attempt): Promise<Outcome> {
  await using folder = await aFolder(files)
  const outcome = await runCli(['validate', ...args], { cwd: folder.path(), env })
  return outcome
}

describe.concurrent('valid fixtures: exit code 0, and a sentence that counts their records', () => {
  test.for<[title: string, attempt: Attempt, sentence: string]>([
    [
      'a file',
      { args: ['my agency.yaml'], files: { 'my agency.yaml': NORTH + PROJECT } },
      'my agency.yaml is valid: 1 agency, 1 project, and 2 keywords.',
    ],
    [
      'several files, merged in order',
      {
        args: ['1.yaml', 'more/2.json'],
        files: {
          '1.yaml': NORTH,
          'more/2.json': '{ "users": [{ "id": 1, "name": "Maja", "agency": 1 }] }',
        },
      },
      '1.yaml and more/2.json are valid together: 1 agency and 1 user.',
    ],
    [
      'a folder',
      {
        args: ['Süd'],
        files: { 'Süd/1.yaml': NORTH, 'Süd/2.yaml': PROJECT, 'Süd/notes.txt': 'x' },
      },
      'Süd is valid: 1 agency, 1 project, and 2 keywords.',
    ],
    [
      'without a path, those of the config file',
      { files: { [CONFIG]: 'fixtures: [a.yaml]\n', 'a.yaml': NORTH } },
      'a.yaml is valid: 1 agency.',
    ],
    [
      'or of the environment',
      {
        env: { [environmentName('fixtures')]: 'a.yaml, b.yaml' },
        files: { 'a.yaml': NORTH, 'b.yaml': PROJECT },
      },
      'a.yaml and b.yaml are valid together: 1 agency, 1 project, and 2 keywords.',
    ],
  ])('%s', async ([, attempt, sentence], { expect }) => {
    expect(await validate(attempt)).toEqual({ code: 0, stdout: `${sentence}\n`, stderr: '' })
  })

  test('with --json it is an empty array', async ({ expect }) => {
    const outcome = await validate({ args: ['--json', 'a.yaml'], files: { 'a.yaml': NORTH } })
    expect(outcome).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  })
})

describe.concurrent('invalid fixtures: exit code 1', () => {
  test('each problem with its location and what to write instead, and the number of problems', async ({
    expect,
  }) => {
    const files = { 'a b.yaml': WRONG, 'c.yaml': 'frozen: maybe\r\n' }
    const { code, stdout, stderr } = await validate({ args: ['a b.yaml', 'c.yaml'], files })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^a b\.yaml:3:5 {2}agencies\[0\]\.name\n {2}This is required: give a text\.$/m,
    )
    expect(stderr).toMatch(
      /^a b\.yaml:3:14 {2}agencies\[0\]\.nme\n {2}"nme" .+ Did you mean "name"\?/m,
    )
    expect(stderr).toMatch(/^a b\.yaml:5:34 {2}users\[0\]\.agency\n {2}There is no agency 9\. /m)
    expect(stderr).toMatch(/^c\.yaml:1:9 {2}frozen\n {2}"maybe" is not true or false\. /m)
    expect(stderr).toMatch(/\n\nerror 4 problems in 2 files\.\n$/)
  })

  test('with --json as an array on stdout', async ({ expect }) => {
    const files = { 'a b.yaml': WRONG.replaceAll('\n', '\r\n') }
    const { code, stdout, stderr } = await validate({ args: ['a b.yaml', '--json'], files })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const problems: unknown = JSON.parse(stdout)
    expect(problems).toHaveLength(3)
    expect(problems).toContainEqual({
      file: 'a b.yaml',
      line: 5,
      column: 34,
      path: 'users[0].agency',
      message: expect.stringMatching(/^There is no agency 9\. /),
    })
  })

  test('of one record the first of them, and how many more there are as the last of the file', async ({
    expect,
  }) => {
    const fields = Array.from({ length: 25 }, (_, index) => `field_${index}: 1`)
    const users = `  - { id: 1, name: Maja, ${fields.join(', ')} }\n  - { id: 2, name: 5 }\n`
    const files = { 'a.yaml': `version: 1\nusers:\n${users}`, 'b.yaml': 'frozn: true' }
    const { stderr } = await validate({ args: ['a.yaml', 'b.yaml'], files })
    const places = stderr.match(/^[ab]\.yaml.*$/gm) ?? []
    expect(places).toHaveLength(19 + 3)
    expect(places.slice(-3)).toEqual([
      'a.yaml:4:20  users[1].name',
      'a.yaml  users[0]',
      'b.yaml:1:1  frozn',
    ])
    expect(stderr).toContain('a.yaml  users[0]\n  … and 6 more.\n')
    expect(stderr).toMatch(/error 27 problems in 2 files\.\n$/)
  })

  test('a file in another format, with its first errors', async ({ expect }) => {
    const files = {
      'notes.yaml': '- a: b: c\n'.repeat(30),
      'half.json': '{ "version": 1, "users": [}',
    }
    const notes = await validate({ args: ['notes.yaml'], files })
    expect(notes.stderr.match(/This is not valid YAML/g)).toHaveLength(10)
    expect(notes.stderr).toMatch(/\nnotes\.yaml\n {2}… and \d+ more\.\n\nerror \d+ problems/)
    const half = await validate({ args: ['half.json'], files })
    expect(half.stderr).toMatch(/^half\.json:1:27\n {2}This is not valid JSON, nor YAML: /)
  })

  test.for<[title: string, attempt: Attempt, problem: object]>([
    [
      'a file that is missing',
      { args: ['none.yaml'] },
      { file: 'none.yaml', line: null, column: null, path: '' },
    ],
    [
      'a file that the config file names',
      { files: { [CONFIG]: 'fixtures: none.yaml\n' } },
      { file: 'none.yaml' },
    ],
  ])('%s', async ([, { args = [], files = {} }, problem], { expect }) => {
    const { code, stdout, stderr } = await validate({ args: [...args, '--json'], files })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ ...problem, message: expect.stringMatching(/\.|: version: 1$/) }),
    ])
  })

  test('of files that can be read together with those that cannot', async ({ expect }) => {
    const files = { 'a.yaml': 'version: 1\nprojects: [{ id: x, agency: 9 }]\n' }
    const { code, stderr } = await validate({ args: ['a.yaml', 'none.yaml'], files })
    expect(code).toBe(1)
    expect(stderr).toMatch(/none\.yaml\n {2}There is no such file or folder/)
    expect(stderr).toMatch(/a\.yaml:2:18 {2}projects\[0\]\.id/)
    // The agency may be in the missing file.
    expect(stderr).not.toContain('There is no agency 9')
  })

  test('a file name cannot control the terminal', async ({ expect }) => {
    const { stderr } = await validate({ args: ['\u001B[31m.yaml'] })
    expect(stderr).toContain(String.raw`\u001b[31m.yaml`)
    expect(stderr).not.toContain('\u001B')
  })
})

describe.concurrent('a usage error: exit code 2, and a sentence that says what to do', () => {
  test.for<[title: string, attempt: Attempt, sentence: RegExp]>([
    [
      'without a path',
      {},
      /^error There is nothing to validate\. Name .+ seo-sandbox validate agency\.yaml\.\n$/,
    ],
    ['with an empty path', { args: [''] }, /^error A path is empty\. .+\.\n$/],
    [
      'with an unknown option',
      { args: ['--jsn', 'a.yaml'] },
      /^error --jsn: This is not an option\. Did you mean --json\? seo-sandbox validate --help .+\.\n$/,
    ],
    [
      'with an invalid config file',
      { files: { [CONFIG]: 'fixtures: 5\n' } },
      /^error seo-sandbox\.config\.yaml:1:11 fixtures: 5 is not a list of paths: .+\.\n$/,
    ],
  ])('%s', async ([, attempt, sentence], { expect }) => {
    const { code, stdout, stderr } = await validate(attempt)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
  })
})
