import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { withoutControls } from '../contract/text.ts'
import { errorCodeOf, toFileReason } from '../server/file-errors.ts'
import { createFile } from '../server/replace-file.ts'
import { OptionError } from '../world/options/option-error.ts'
import { printJson, colorsFor, quote } from './print.ts'
import { STARTER_FILES } from './starter-files.ts'
import { findUserProject, BUN_TEST, DENO_TEST } from './user-project.ts'
import type { UserProject } from './user-project.ts'

const DONE = 0
const SCHEMA = 'seo-sandbox/fixtures/schema.json'

/**
 * `seo-sandbox init`: writes a fixture, and a test of the fixture, into a folder. Never overwrites a file.
 *
 * @throws OptionError if the folder does not exist or cannot be written to, or if the project's package.json cannot be read.
 */
export async function init(folder: string, { json }: { json: boolean }): Promise<number> {
  await requireFolder(folder)
  const project = await findUserProject(folder)
  const jest = toSlashes(relative(project.root, project.dependency('jest/bin/jest.js')))
  const { runner, script: usual, toTest } = findStarter(project)
  // Not through npx, which cannot pass options to Node on Windows.
  const test = toTest({ ...project, jest: `node ${JEST_OPTION} ${quote(jest)}` })
  const isFound = runner !== 'node:test' || usual?.test(project.testScript)
  const why = isFound ? '' : ', because no other test runner was found'
  const schema = project.dependency(SCHEMA)
  const files: StarterFile[] = [
    { name: FIXTURE, source: 'agency.yaml', purpose: 'a small agency to start from' },
    { ...test, purpose: `four tests of it, for ${runner}${why}` },
    ...(test.support ?? []),
  ]
  const lines: string[] = []
  const written: string[] = []
  const unchanged: string[] = []
  for (const { name, source, purpose } of files) {
    const path = join(folder, name)
    const text = STARTER_FILES[source].replace('../schema.json', () => toImport(folder, schema))
    const isWritten = await writeNew(path, text)
    const list = isWritten ? written : unchanged
    list.push(path)
    const shown = withoutControls(path)
    lines.push(isWritten ? `Wrote ${shown}: ${purpose}.` : `${shown} exists and was not changed.`)
  }
  const commands = nextCommands(folder, project, test, existsSync(schema))
  const { script } = test
  if (json) {
    const scripts = script && { test: script.test }
    printJson({ written, unchanged, next: commands, scripts })
    return DONE
  }
  if (written.length === 0) {
    lines.push('There is nothing to do.')
  } else {
    const { cyan } = colorsFor(process.stdout)
    const show = (text: string) => `  ${cyan(withoutControls(text))}`
    lines.push('', 'Next:', ...commands.map(show))
    if (script) {
      lines.push(
        '',
        `Set this script in package.json, which init does not change. ${script.reason}`,
      )
      lines.push(show(`"test": ${JSON.stringify(script.test)}`))
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  return DONE
}

export async function requireFolder(folder: string): Promise<void> {
  const name = withoutControls(folder)
  const entry = await stat(folder).catch(() => undefined)
  if (!entry) throw new OptionError(`${name}: There is no such folder. Create it, or name another.`)
  if (!entry.isDirectory()) throw new OptionError(`${name}: This is a file. Name a folder.`)
}

/** Returns a path relative to the folder, with slashes on every system: `./node_modules/…`. */
export function toImport(folder: string, path: string): string {
  const text = toSlashes(relative(resolve(folder), path))
  return text.startsWith('.') ? text : `./${text}`
}

function toSlashes(path: string): string {
  return path.split(sep).join('/')
}

/** Writes a new file. Leaves an existing file unchanged, and returns false. */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await createFile(path, text)
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false
    throw new OptionError(`${withoutControls(path)}: ${toFileReason(error)}`, { cause: error })
  }
}

function nextCommands(
  folder: string,
  { root, manager }: UserProject,
  test: StarterTest,
  isInstalled: boolean,
): string[] {
  const here = resolve('.')
  const pathOf = (name: string) => quote(relative(root, resolve(folder, name)))
  return [
    ...(root === here ? [] : [`cd ${quote(relative(here, root))}`]),
    ...(isInstalled ? [] : [manager.install]),
    test.command(pathOf(test.name)),
    manager.exec(`seo-sandbox validate ${pathOf(FIXTURE)}`),
    manager.exec(`seo-sandbox --fixtures ${pathOf(FIXTURE)}`),
  ]
}

export const FIXTURE = 'agency.yaml'

interface Setup extends UserProject {
  /** The command line that runs the project's Jest. */
  jest: string
}

export interface StarterFile {
  name: string
  /** Name of the template in fixtures/starters. */
  source: keyof typeof STARTER_FILES
  purpose: string
}

/** A test of the fixture for one test runner. */
export interface StarterTest extends Omit<StarterFile, 'purpose'> {
  /** Files that the test needs, in the same folder. */
  support?: StarterFile[]
  command: (path: string) => string
  /** The `test` script to set in package.json, with the reason; undefined if none is needed. */
  script?: { test: string; reason: string } | undefined
}

interface Starter {
  runner: string
  /** Pattern for the `test` script of a project that uses the runner. A match takes precedence over every `isUsed`. */
  script?: RegExp
  isUsed: (project: UserProject) => boolean
  toTest: (setup: Setup) => StarterTest
}

/** Option of Node that lets Jest import ES modules. */
export const JEST_OPTION = '--experimental-vm-modules'

const typed = ({ isTypeScript }: Setup) => (isTypeScript ? 'ts' : 'js')
const asModule = ({ isModule }: Setup) => (isModule ? 'js' : 'mjs')

/** In order of precedence; the last one fits every project. */
const STARTERS: Starter[] = [
  {
    runner: 'Vitest',
    isUsed: ({ dependsOn }) => dependsOn('vitest'),
    toTest: (setup) => ({
      name: `agency.test.${typed(setup)}`,
      source: `vitest.test.${typed(setup)}`,
      command: () => setup.manager.exec(`vitest run agency.test.${typed(setup)}`),
    }),
  },
  {
    runner: 'Jest',
    isUsed: ({ dependsOn }) => dependsOn('jest'),
    toTest: ({ isTypeScript, testScript, jest }) => ({
      name: 'agency.test.js',
      source: 'jest.test.js',
      command: () => `${jest} agency.test.js`,
      script: toJestScript(testScript, jest),
      support: jestSupport(isTypeScript),
    }),
  },
  {
    runner: 'Playwright',
    isUsed: ({ dependsOn }) => dependsOn('@playwright/test'),
    toTest: (setup) => {
      const name = `agency.spec.${setup.isModule ? '' : 'm'}${typed(setup)}`
      const command = setup.manager.exec(`playwright test ${name}`)
      return { name, source: `playwright.test.${typed(setup)}`, command: () => command }
    },
  },
  {
    runner: 'Mocha',
    isUsed: ({ dependsOn }) => dependsOn('mocha'),
    toTest: (setup) => ({
      name: `agency.test.${asModule(setup)}`,
      source: 'mocha.test.js',
      command: (path) => setup.manager.exec(`mocha ${path}`),
    }),
  },
  {
    runner: 'Bun',
    script: BUN_TEST,
    isUsed: ({ manager }) => manager.name === 'bun',
    toTest: (setup) => ({
      name: `agency.test.${typed(setup)}`,
      source: `bun.test.${typed(setup)}`,
      command: (path) => `bun test ${path}`,
    }),
  },
  {
    runner: 'Deno',
    script: DENO_TEST,
    isUsed: ({ manager }) => manager.name === 'deno',
    toTest: () => ({
      name: 'agency.test.ts',
      source: 'deno.test.ts',
      command: (path) => `deno test --allow-all ${path}`,
    }),
  },
  {
    runner: 'node:test',
    script: /\bnode\b.* --test\b/,
    isUsed: () => true,
    toTest: (setup) => ({
      name: `agency.test.${asModule(setup)}`,
      source: 'node.test.js',
      command: (path) => `node --test ${path}`,
    }),
  },
]

export function findStarter(project: UserProject): Starter {
  const found = STARTERS.find(({ script }) => script?.test(project.testScript))
  return found ?? (STARTERS.find(({ isUsed }) => isUsed(project)) as Starter)
}

/**
 * Returns a `test` script that runs Jest with `JEST_OPTION`; undefined if `script` already has that option. `run`
 * replaces the `jest` command in `script`, or all of a script without one.
 */
export function toJestScript(script: string, run: string): StarterTest['script'] {
  if (script.includes(JEST_OPTION)) return undefined
  const jestCommand = /(?<=^|\s)(?:npx )?jest(?=\s|$)/
  return {
    test: jestCommand.test(script) ? script.replace(jestCommand, () => run) : run,
    reason: 'Without the option Jest cannot import seo-sandbox, an ES module.',
  }
}

/** Returns the files that import seo-sandbox for a Jest test. They are CommonJS files, which transformers leave alone. */
function jestSupport(isTyped: boolean): StarterFile[] {
  const [name, types] = ['start-sandbox.cjs', 'start-sandbox.d.cts'] as const
  return [
    { name, source: name, purpose: 'the functions with which tests start their servers' },
    ...(isTyped
      ? [{ name: types, source: types, purpose: 'its types, for tests in TypeScript' }]
      : []),
  ]
}
