import { BUN_TEST, DENO_TEST } from './project.ts'
import type { Project } from './project.ts'
import type { STARTER_FILES } from './starter-files.ts'

/** The fixture that `init` writes. */
export const FIXTURE = 'agency.yaml'

/** The project that a test is for. */
interface Setup extends Project {
  /** The command line of its Jest. */
  jest: string
}

/** A file to write, and what it is for. */
export interface StarterFile {
  name: string
  /** Its name in fixtures/starters. */
  source: keyof typeof STARTER_FILES
  purpose: string
}

/** The test of a runner for the fixture. */
export interface StarterTest extends Omit<StarterFile, 'purpose'> {
  /** Files that the test needs, in the same folder. */
  support?: StarterFile[]
  /** The command that runs the test at a path. */
  command: (path: string) => string
  /** The `test` script that package.json needs, where the present one cannot run the test. */
  script?: { test: string; reason: string } | undefined
}

interface Starter {
  /** The display name of the runner. */
  runner: string
  /** The `test` script of a project that runs it, whatever else that depends on. */
  script?: RegExp
  isUsed: (project: Project) => boolean
  toTest: (setup: Setup) => StarterTest
}

/** With this option Jest imports ES modules. */
export const JEST_OPTION = '--experimental-vm-modules'

const typed = ({ isTypeScript }: Setup) => (isTypeScript ? 'ts' : 'js')
const asModule = ({ isModule }: Setup) => (isModule ? 'js' : 'mjs')

/** In the order in which they are looked for; the last one fits every project. */
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

/** The runner of a project, by its `test` script or by what it depends on. */
export function findStarter(project: Project): Starter {
  const found = STARTERS.find(({ script }) => script?.test(project.testScript))
  return found ?? (STARTERS.find(({ isUsed }) => isUsed(project)) as Starter)
}

/** A `test` script that runs Jest with the option; undefined if it already does. */
export function toJestScript(script: string, run: string): StarterTest['script'] {
  if (script.includes(JEST_OPTION)) return undefined
  const jestCommand = /(?<=^|\s)(?:npx )?jest(?=\s|$)/
  return {
    test: jestCommand.test(script) ? script.replace(jestCommand, () => run) : run,
    reason: 'Without the option Jest cannot import seo-sandbox, an ES module.',
  }
}

/** The files that import seo-sandbox: transformers leave `.cjs` files alone. */
function jestSupport(isTyped: boolean): StarterFile[] {
  const [name, types] = ['start-sandbox.cjs', 'start-sandbox.d.cts'] as const
  return [
    { name, source: name, purpose: 'what the tests start their servers with' },
    ...(isTyped
      ? [{ name: types, source: types, purpose: 'its types, for tests in TypeScript' }]
      : []),
  ]
}
