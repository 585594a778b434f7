import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, test } from 'vitest'
import { aFolder, fromRoot, runCli, runNode } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'

/** The files that `seo-sandbox init` writes, run by the test runners that are installed here. */

const VITEST = { devDependencies: { vitest: '^4.0.0' } }
const JEST = { devDependencies: { jest: '^30.0.0' } }
const PLAYWRIGHT = { dependencies: { '@playwright/test': '^1.60.0' } }
const MODULE = { type: 'module' }

function aPackage(...fields: object[]): Record<string, string> {
  return { 'package.json': JSON.stringify(Object.assign({}, ...fields)) }
}

const PROJECTS = [
  { title: 'a folder without a package.json', files: {}, name: 'agency.test.mjs' },
  { title: 'a package of ES modules', files: aPackage(MODULE), name: 'agency.test.js' },
]

const JEST_PROJECTS = [
  { title: 'Jest with ES modules', files: aPackage(JEST, MODULE), name: 'agency.test.js' },
  { title: 'Jest with CommonJS', files: aPackage(JEST), name: 'agency.test.js' },
]

describe.concurrent('what it writes', () => {
  test.for(PROJECTS)(
    'runs with node:test: $title',
    { tags: ['core'] },
    async ({ files, name }, { expect }) => {
      await using folder = await aFolder(files)
      await installSandbox(folder)
      await runCli(['init'], { cwd: folder.path() })
      const { code, stdout } = await runNode(['--test', name], { cwd: folder.path() })
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/pass 4\n/) as string,
      })
    },
  )

  test('runs with Vitest, in JavaScript and in TypeScript', async ({ expect }) => {
    await using folder = await aFolder(aPackage(VITEST))
    await installSandbox(folder)
    await install(folder, 'vitest')
    await runCli(['init'], { cwd: folder.path() })
    await writeFile(folder.path('tsconfig.json'), '{}')
    await runCli(['init'], { cwd: folder.path() })
    // Vitest's own limit of five seconds is too short on a busy machine.
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=180000']
    const { code, stdout } = await runNode(args, { cwd: folder.path(), env: { NO_COLOR: '1' } })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/Test Files +2 passed [^]+Tests +8 passed/) as string,
    })
  })

  test('type-checks, in TypeScript', async ({ expect }) => {
    const compilerOptions = {
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    }
    await using folder = await aFolder({
      ...aPackage(JEST, { devDependencies: { ...JEST.devDependencies, typescript: '*' } }),
      'own.test.ts': IMPORT_SUPPORT,
    })
    await runCli(['init'], { cwd: folder.path() })
    await writeFile(folder.path('package.json'), JSON.stringify({ ...VITEST, ...MODULE }))
    await writeFile(folder.path('tsconfig.json'), JSON.stringify({ compilerOptions }))
    await installSandbox(folder)
    await install(folder, 'vitest')
    await install(folder, '@types/node')
    await runCli(['init'], { cwd: folder.path() })
    const outcome = await runNode([fromRoot('node_modules/typescript/bin/tsc')], {
      cwd: folder.path(),
    })
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  // Jest is not among the dependencies; docs/recipes has projects that run it.
  test.for(JEST_PROJECTS)(
    'runs with the globals of $title',
    async ({ files, name }, { expect }) => {
      await using folder = await aFolder({ ...files, 'globals.cjs': JEST_GLOBALS })
      await installSandbox(folder)
      await runCli(['init'], { cwd: folder.path() })
      const args = ['--require', './globals.cjs', name]
      const { code, stdout } = await runNode(args, { cwd: folder.path() })
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/pass 4\n/) as string,
      })
    },
  )

  test('reports a server that cannot start once, for Jest', async ({ expect }) => {
    // Jest calls afterEach after a failed beforeEach, Node does not.
    const globals = `${JEST_GLOBALS}globalThis.afterEach = after`
    await using folder = await aFolder({ ...aPackage(JEST), 'globals.cjs': globals })
    await runCli(['init'], { cwd: folder.path() })
    const args = ['--require', './globals.cjs', 'agency.test.js']
    const { code, stdout } = await runNode(args, { cwd: folder.path() })
    expect(code).toBe(1)
    expect(stdout).toContain("Cannot find package 'seo-sandbox'")
    expect(stdout).not.toContain("reading 'close'")
  })

  test('gives the tests time on a slow machine, for Mocha', async ({ expect }) => {
    await using folder = await aFolder({
      ...aPackage({ devDependencies: { mocha: '*' } }),
      'globals.cjs': MOCHA_GLOBALS,
    })
    await installSandbox(folder)
    await runCli(['init'], { cwd: folder.path() })
    const args = ['--require', './globals.cjs', 'agency.test.mjs']
    const { code, stdout } = await runNode(args, { cwd: folder.path() })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/timeout 30000\n[^]+pass 4\n/) as string,
    })
  })

  test('is a module that Node can parse, for Playwright', async ({ expect }) => {
    await using folder = await aFolder(aPackage(PLAYWRIGHT))
    await runCli(['init'], { cwd: folder.path() })
    const outcome = await runNode(['--check', 'agency.spec.mjs'], { cwd: folder.path() })
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

/** A test in TypeScript that uses the files for Jest, and knows their types. */
const IMPORT_SUPPORT = `import { startSandbox } from './start-sandbox.cjs'

const server = await startSandbox()
// @ts-expect-error: The URL is a string.
export const url: number = server.url
`

/** The globals of Jest, implemented with Node's own runner. */
const JEST_GLOBALS = `
const assert = require('node:assert/strict')
Object.assign(globalThis, require('node:test'))
globalThis.expect = (actual) => ({
  toMatchObject: (expected) => {
    for (const [key, value] of Object.entries(expected)) assert.equal(actual[key], value)
  },
  rejects: { toThrow: (text) => assert.rejects(actual, (error) => error.message.includes(text)) },
})
`

/** The globals of Mocha that the test uses, which print its time limit. */
const MOCHA_GLOBALS = `
const { afterEach, it } = require('node:test')
const timeout = (ms) => console.log('timeout ' + ms)
Object.assign(globalThis, { afterEach, it, describe: (name, define) => define.call({ timeout }) })
`

/** This package, as if npm had installed it in the folder. */
async function installSandbox(folder: Folder): Promise<void> {
  await link(folder, 'seo-sandbox', fromRoot('.'))
}

/** A dependency of this repository, as if npm had installed it in the folder. */
async function install(folder: Folder, name: string): Promise<void> {
  await link(folder, name, fromRoot(`node_modules/${name}`))
}

async function link(folder: Folder, name: string, target: string): Promise<void> {
  const path = folder.path(`node_modules/${name}`)
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path, 'junction')
}
