import { mkdir, symlink } from 'node:fs/promises'
import { describe, test } from 'vitest'
import { toJestScript } from '../../src/cli/init.ts'
import { aFolder, fromRoot, runCli } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'

/** The files that `seo-sandbox init` writes; `npm run test:processes` runs them. */

const VITEST = { devDependencies: { vitest: '^4.0.0' } }
const JEST = { devDependencies: { jest: '^30.0.0' } }
const MOCHA = { devDependencies: { mocha: '^12.0.0' } }
const PLAYWRIGHT = { dependencies: { '@playwright/test': '^1.60.0' } }
const MODULE = { type: 'module' }

/** A `package.json` with these fields, and an optional `tsconfig.json`. */
function aPackage(...fields: object[]): Record<string, string> {
  return { 'package.json': JSON.stringify(Object.assign({}, ...fields)) }
}

const TYPESCRIPT = { 'tsconfig.json': '{}' }

interface Case {
  title: string
  files: Record<string, string>
  /** The name of the test that is written. */
  name: string
  /** The command that runs it. */
  command: string
  /** The lines about the other files that are written. */
  support?: string[]
  /** The stated reason for that runner, if any. */
  why?: string
  /** The beginning of the other commands; npm's if omitted. */
  add?: string
  exec?: string
}

const JEST_COMMAND = 'node --experimental-vm-modules node_modules/jest/bin/jest.js agency.test.js'
const JEST_NOTE = `
Set this script in package.json, which init does not change. Without the option Jest cannot import seo-sandbox, an ES module.
  "test": "node --experimental-vm-modules node_modules/jest/bin/jest.js"
`

const NOT_FOUND = ', because no other test runner was found'

const cases: Case[] = [
  {
    title: 'a folder without a package.json',
    files: {},
    name: 'agency.test.mjs',
    command: 'node --test agency.test.mjs',
    why: NOT_FOUND,
  },
  {
    title: 'a package of ES modules, without a test runner',
    files: aPackage(MODULE),
    name: 'agency.test.js',
    command: 'node --test agency.test.js',
    why: NOT_FOUND,
  },
  {
    title: 'a package of CommonJS in TypeScript, without a test runner',
    files: { ...aPackage(), ...TYPESCRIPT },
    name: 'agency.test.mjs',
    command: 'node --test agency.test.mjs',
    why: NOT_FOUND,
  },
  {
    title: 'node:test by the test script',
    files: aPackage(MODULE, { scripts: { test: 'node --import tsx --test' } }),
    name: 'agency.test.js',
    command: 'node --test agency.test.js',
  },
  {
    title: 'Vitest, with TypeScript among the dependencies',
    files: aPackage({ devDependencies: { vitest: '^4.0.0', typescript: '^5.0.0' } }),
    name: 'agency.test.ts',
    command: 'npx vitest run agency.test.ts',
  },
  {
    title: 'Vitest',
    files: aPackage(VITEST),
    name: 'agency.test.js',
    command: 'npx vitest run agency.test.js',
  },
  {
    title: 'Vitest in TypeScript, Playwright too',
    files: { ...aPackage(PLAYWRIGHT, VITEST, MODULE), ...TYPESCRIPT },
    name: 'agency.test.ts',
    command: 'npx vitest run agency.test.ts',
  },
  {
    title: 'Jest with ES modules',
    files: aPackage(JEST, MODULE),
    name: 'agency.test.js',
    command: JEST_COMMAND,
    support: ['start-sandbox.cjs: the functions with which tests start their servers.'],
  },
  {
    title: 'Jest with CommonJS',
    files: aPackage(JEST),
    name: 'agency.test.js',
    command: JEST_COMMAND,
    support: ['start-sandbox.cjs: the functions with which tests start their servers.'],
  },
  {
    title: 'Jest with CommonJS, TypeScript there',
    files: { ...aPackage(JEST), ...TYPESCRIPT },
    name: 'agency.test.js',
    command: JEST_COMMAND,
    support: [
      'start-sandbox.cjs: the functions with which tests start their servers.',
      'start-sandbox.d.cts: its types, for tests in TypeScript.',
    ],
  },
  {
    title: 'Playwright with CommonJS',
    files: aPackage(PLAYWRIGHT),
    name: 'agency.spec.mjs',
    command: 'npx playwright test agency.spec.mjs',
  },
  {
    title: 'Playwright with ES modules in TypeScript',
    files: { ...aPackage(PLAYWRIGHT, MODULE), ...TYPESCRIPT },
    name: 'agency.spec.ts',
    command: 'npx playwright test agency.spec.ts',
  },
  {
    title: 'Mocha with CommonJS',
    files: aPackage(MOCHA),
    name: 'agency.test.mjs',
    command: 'npx mocha agency.test.mjs',
  },
  {
    title: 'Mocha with ES modules, in a project of pnpm',
    files: { ...aPackage(MOCHA, MODULE), 'pnpm-lock.yaml': '' },
    name: 'agency.test.js',
    command: 'pnpm exec mocha agency.test.js',
    add: 'pnpm add --save-dev seo-sandbox',
    exec: 'pnpm exec',
  },
  {
    title: 'Vitest in a project of yarn',
    files: { ...aPackage(VITEST), 'yarn.lock': '' },
    name: 'agency.test.js',
    command: 'yarn vitest run agency.test.js',
    add: 'yarn add --dev seo-sandbox',
    exec: 'yarn',
  },
  {
    title: 'Bun in TypeScript',
    files: { ...aPackage(), ...TYPESCRIPT, 'bun.lock': '' },
    name: 'agency.test.ts',
    command: 'bun test agency.test.ts',
    add: 'bun add --dev seo-sandbox',
    exec: 'bunx',
  },
  {
    title: 'Bun by the test script, Jest too',
    files: aPackage(JEST, { scripts: { test: 'tsc && bun test --coverage' } }),
    name: 'agency.test.js',
    command: 'bun test agency.test.js',
    add: 'bun add --dev seo-sandbox',
    exec: 'bunx',
  },
  {
    title: 'Bun by the test script, in a project of npm',
    files: { ...aPackage({ scripts: { test: 'bun test' } }), 'package-lock.json': '{}' },
    name: 'agency.test.js',
    command: 'bun test agency.test.js',
  },
  {
    title: 'Deno by the test script',
    files: aPackage({ scripts: { test: 'deno test -A' } }),
    name: 'agency.test.ts',
    command: 'deno test --allow-all agency.test.ts',
    add: 'deno add npm:seo-sandbox npm:@types/node',
    exec: 'deno run --allow-all npm:',
  },
  {
    title: 'Deno, which needs no package.json',
    files: { 'deno.json': '{}' },
    name: 'agency.test.ts',
    command: 'deno test --allow-all agency.test.ts',
    add: 'deno add npm:seo-sandbox npm:@types/node',
    exec: 'deno run --allow-all npm:',
  },
]

describe.concurrent('it writes a fixture and a test for', () => {
  test.for(cases)('$title', async ({ files, name, command, ...tool }, { expect }) => {
    await using folder = await aFolder(files)
    const {
      support = [],
      why = '',
      add = 'npm install --save-dev seo-sandbox',
      exec = 'npx',
    } = tool
    const run = `${exec} seo-sandbox`.replace(': ', ':')
    const outcome = await runCli(['init'], { cwd: folder.path() })
    const runner = /Vitest|Jest|Playwright|Mocha|Bun|Deno|node:test/.exec(outcome.stdout)?.[0] ?? ''
    expect(outcome).toEqual({
      code: 0,
      stdout: `Wrote agency.yaml: a small agency to start from.
Wrote ${name}: four tests of it, for ${runner}${why}.
${support.map((line) => `Wrote ${line}\n`).join('')}
Next:
  ${add}
  ${command}
  ${run} validate agency.yaml
  ${run} --fixtures agency.yaml
${command === JEST_COMMAND ? JEST_NOTE : ''}`,
      stderr: '',
    })
    expect(command).toContain(runner.toLowerCase().replace('node:test', 'node --test'))
    expect(await folder.list()).toEqual(
      [
        ...Object.keys(files),
        'agency.yaml',
        name,
        ...support.map((line) => line.replace(/:.*/, '')),
      ].toSorted(),
    )
    const written = await folder.read(name)
    expect(written.includes('start-sandbox.cjs')).toBe(support.length > 0)
    expect(written.includes(': string')).toBe(name.endsWith('.ts'))
  })
})

describe.concurrent('what it writes', () => {
  test('is a valid fixture, whose first line names the schema of the format', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const { path, read } = folder
    await installSandbox(folder)
    await runCli(['init'], { cwd: path() })
    const { code, stdout } = await runCli(['validate', 'agency.yaml'], { cwd: path() })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^agency\.yaml is valid: 1 agency, .+ 4 reports\.\n$/,
      ) as string,
    })
    const [line = ''] = (await read('agency.yaml')).split('\n')
    const schema = /^# yaml-language-server: \$schema=(\S+)$/.exec(line)?.[1] ?? ''
    expect(JSON.parse(await read(schema))).toHaveProperty('$defs')
  })

  test('names the schema at the place where the package is installed: here above the folder', async ({
    expect,
  }) => {
    await using folder = await aFolder({ 'my tests/api/': '' })
    await installSandbox(folder)
    const { stdout } = await runCli(['init', 'my tests/api'], { cwd: folder.path() })
    expect(await folder.read('my tests/api/agency.yaml')).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/\.\.\/node_modules\/seo-sandbox\/fixtures\/schema\.json\n/,
    )
    expect(stdout).not.toContain('npm install')
  })
})

describe('for Jest it prints the `test` script with the option that Jest needs', () => {
  const run = 'node --experimental-vm-modules node_modules/jest/bin/jest.js'
  test.for<[script: string, changed: string | undefined]>([
    ['', run],
    ['jest', run],
    ['npx jest --coverage', `${run} --coverage`],
    ['tsc -b && TZ=UTC jest --ci && eslint .', `tsc -b && TZ=UTC ${run} --ci && eslint .`],
    ['jest-preview & jest', `jest-preview & ${run}`],
    ['react-scripts test', run],
    ['echo "Error: no test specified" && exit 1', run],
    ['cross-env NODE_OPTIONS=--experimental-vm-modules jest', undefined],
    [`${run} --watch`, undefined],
  ])('%s', ([testScript, changed], { expect }) => {
    const script = toJestScript(testScript, run)
    expect(script?.test).toBe(changed)
  })

  test('which init reads from package.json, and prints as JSON', async ({ expect }) => {
    const scripts = { test: 'jest -t "a b"' }
    await using folder = await aFolder(aPackage(JEST, { scripts }))
    const { stdout } = await runCli(['init', '--json'], { cwd: folder.path() })
    expect(JSON.parse(stdout)).toMatchObject({ scripts: { test: `${run} -t "a b"` } })
  })
})

describe.concurrent('from another folder', () => {
  test('the commands go to the nearest package.json, and paths are quoted', async ({ expect }) => {
    await using folder = await aFolder({
      "packages/maja's app/package.json": '\uFEFF{ "type": "module" }',
      "packages/maja's app/test it/": '',
    })
    const target = "packages/maja's app/test it"
    const { code, stdout } = await runCli(['init', target], { cwd: folder.path() })
    expect(code).toBe(0)
    expect(stdout).toContain(
      `Wrote ${target}/agency.test.js: four tests of it, for node:test${NOT_FOUND}.\n`,
    )
    expect(stdout).toContain(`
  cd 'packages/maja'\\''s app'
  npm install --save-dev seo-sandbox
  node --test 'test it/agency.test.js'
  npx seo-sandbox validate 'test it/agency.yaml'
  npx seo-sandbox --fixtures 'test it/agency.yaml'
`)
  })

  test('the tsconfig.json of the package applies, one above it does not', async ({ expect }) => {
    await using folder = await aFolder({
      'one/test/': '',
      'one/package.json': JSON.stringify(VITEST),
      'one/tsconfig.json': '{}',
      'two/package.json': JSON.stringify(VITEST),
      'tsconfig.json': '{}',
    })
    for (const target of ['one/test', 'two']) await runCli(['init', target], { cwd: folder.path() })
    expect(await folder.list('one/test')).toEqual(['agency.test.ts', 'agency.yaml'])
    expect(await folder.list('two')).toEqual(['agency.test.js', 'agency.yaml', 'package.json'])
  })
})

describe.concurrent('in a workspace', () => {
  test('what is installed at its root is found there, and the commands name it', async ({
    expect,
  }) => {
    await using folder = await aFolder({
      'package.json': JSON.stringify({ workspaces: ['packages/*'], ...JEST }),
      'packages/one/package.json': '{}',
      'node_modules/jest/bin/jest.js': '',
    })
    const one = folder.path('packages/one')
    const { stdout } = await runCli(['init'], { cwd: one })
    expect(stdout).toContain(`
  npm install --save-dev seo-sandbox
  node --experimental-vm-modules ../../node_modules/jest/bin/jest.js agency.test.js
`)
    const schema = '../../node_modules/seo-sandbox/fixtures/schema.json'
    expect(await folder.read('packages/one/agency.yaml')).toContain(`$schema=${schema}\n`)
  })

  test('of pnpm, the packages of each project are in its own folder', async ({ expect }) => {
    await using folder = await aFolder({
      'package.json': JSON.stringify(VITEST),
      'pnpm-workspace.yaml': '',
      'pnpm-lock.yaml': '',
      'packages/one/package.json': '{}',
    })
    const one = folder.path('packages/one')
    const { stdout } = await runCli(['init'], { cwd: one })
    expect(stdout).toContain('\n  pnpm exec vitest run agency.test.js\n')
    const schema = './node_modules/seo-sandbox/fixtures/schema.json'
    expect(await folder.read('packages/one/agency.yaml')).toContain(`$schema=${schema}\n`)
  })
})

describe.concurrent('init never overwrites a file', () => {
  test('one file exists: it is kept, and named', async ({ expect }) => {
    await using folder = await aFolder({ 'agency.yaml': 'mine' })
    const { code, stdout } = await runCli(['init'], { cwd: folder.path() })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^agency\.yaml exists and was not changed\.\nWrote agency\.test\.mjs: .+\n\nNext:\n/,
    )
    expect(await folder.read('agency.yaml')).toBe('mine')
  })

  test('all of them exist: there is nothing to do', async ({ expect }) => {
    await using folder = await aFolder({ 'agency.yaml': 'mine', 'agency.test.mjs/': '' })
    expect(await runCli(['init', '.'], { cwd: folder.path() })).toEqual({
      code: 0,
      stdout: `agency.yaml exists and was not changed.
agency.test.mjs exists and was not changed.
There is nothing to do.
`,
      stderr: '',
    })
  })
})

test('with --json it prints what was written, and what to run next', async ({ expect }) => {
  await using folder = await aFolder({ 'package.json': '{}', 'agency.yaml': 'mine' })
  const cwd = folder.path()
  const { stdout } = await runCli(['init', '--json'], { cwd })
  expect(JSON.parse(stdout)).toEqual({
    written: ['agency.test.mjs'],
    unchanged: ['agency.yaml'],
    next: expect.arrayContaining(['npx seo-sandbox --fixtures agency.yaml']) as string[],
  })
  const again = await runCli(['init', '--json'], { cwd })
  expect(JSON.parse(again.stdout)).toMatchObject({ written: [] })
})

describe.concurrent('a usage error: exit code 2, and a sentence that says what to do', () => {
  test.for<[title: string, args: string[], sentence: RegExp]>([
    ['a folder that does not exist', ['none'], /^error none: There is no such folder\. .+\.\n$/],
    ['a file', ['a.txt'], /^error a\.txt: This is a file\. .+\.\n$/],
    [
      'a package.json that is not JSON',
      ['broken'],
      /^error .+package\.json: This is not valid JSON\. .+\.\n$/,
    ],
  ])('%s', async ([, args, sentence], { expect }) => {
    await using folder = await aFolder({ 'a.txt': '', 'broken/package.json': '{' })
    const { code, stdout, stderr } = await runCli(['init', ...args], { cwd: folder.path() })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(await folder.list()).toEqual(['a.txt', 'broken'])
  })
})

/** This package, as if npm had installed it in the folder. */
async function installSandbox(folder: Folder): Promise<void> {
  await mkdir(folder.path('node_modules'))
  await symlink(fromRoot('.'), folder.path('node_modules/seo-sandbox'), 'junction')
}
