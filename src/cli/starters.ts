import type { Project } from './project.ts'
import type { STARTER_FILES } from './starter-files.ts'

/** The fixture that `init` writes. */
export const FIXTURE = 'agency.yaml'

/** The properties of a project that determine its test. */
interface Setup extends Pick<
  Project,
  'isModule' | 'isTypeScript' | 'dependsOn' | 'testScript' | 'manager'
> {
  /** How its Jest is run, quoted for a shell. */
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
  isUsed: (project: Project) => boolean
  toTest: (setup: Setup) => StarterTest
}

/** With this option Jest imports ES modules. */
export const JEST_OPTION = '--experimental-vm-modules'

/** In the order in which they are looked for. */
const STARTERS: Starter[] = [
  {
    runner: 'Vitest',
    isUsed: ({ dependsOn }) => dependsOn('vitest'),
    toTest: ({ isTypeScript, manager }) => {
      const kind = isTypeScript ? 'ts' : 'js'
      const name = `agency.test.${kind}`
      return {
        name,
        source: `vitest.test.${kind}`,
        command: () => manager.exec(`vitest run ${name}`),
      }
    },
  },
  {
    runner: 'Jest',
    isUsed: ({ dependsOn }) => dependsOn('jest'),
    toTest: ({ isModule, isTypeScript, dependsOn, testScript, jest }) => ({
      name: 'agency.test.js',
      source: `jest.test.${isModule ? 'js' : 'cjs'}`,
      command: () => `${jest} agency.test.js`,
      script: toJestScript(testScript, jest),
      support: isModule ? [] : jestSupport(isTypeScript || dependsOn('typescript')),
    }),
  },
  {
    runner: 'Playwright',
    isUsed: ({ dependsOn }) => dependsOn('@playwright/test'),
    toTest: ({ isModule, isTypeScript, manager }) => {
      const kind = isTypeScript ? 'ts' : 'js'
      const name = `agency.spec.${isModule ? '' : 'm'}${kind}`
      return {
        name,
        source: `playwright.test.${kind}`,
        command: () => manager.exec(`playwright test ${name}`),
      }
    },
  },
  {
    runner: 'Mocha',
    isUsed: ({ dependsOn }) => dependsOn('mocha'),
    toTest: ({ isModule, manager }) => ({
      name: `agency.test.${isModule ? 'js' : 'mjs'}`,
      source: 'mocha.test.js',
      command: (path) => manager.exec(`mocha ${path}`),
    }),
  },
  {
    runner: 'Bun',
    isUsed: ({ manager }) => manager.name === 'bun',
    toTest: ({ isTypeScript }) => {
      const kind = isTypeScript ? 'ts' : 'js'
      return {
        name: `agency.test.${kind}`,
        source: `bun.test.${kind}`,
        command: (path) => `bun test ${path}`,
      }
    },
  },
  {
    runner: 'Deno',
    isUsed: ({ manager }) => manager.name === 'deno',
    toTest: () => ({
      name: 'agency.test.ts',
      source: 'deno.test.ts',
      command: (path) => `deno test --allow-all ${path}`,
    }),
  },
]

const NODE: Starter = {
  runner: 'node:test',
  isUsed: () => true,
  toTest: ({ isModule }) => ({
    name: `agency.test.${isModule ? 'js' : 'mjs'}`,
    source: 'node.test.js',
    command: (path) => `node --test ${path}`,
  }),
}

/** The starter of the runner that a project uses; that of `node:test` where it uses no other. */
export function findStarter(project: Project): Starter {
  return STARTERS.find(({ isUsed }) => isUsed(project)) ?? NODE
}

/** A `test` script whose Jest runs with the option; undefined where it does already. */
export function toJestScript(script: string | undefined, run: string): StarterTest['script'] {
  if (script?.includes(JEST_OPTION)) return undefined
  const jestCommand = /(?<=^|\s)(?:npx )?jest(?=\s|$)/
  return {
    test: script && jestCommand.test(script) ? script.replace(jestCommand, () => run) : run,
    reason: 'Without the option Jest cannot import seo-sandbox, an ES module.',
  }
}

/** What CommonJS imports seo-sandbox in. Transformers leave files called `.cjs` alone. */
function jestSupport(isTyped: boolean): StarterFile[] {
  const start: StarterFile = {
    name: 'start-sandbox.cjs',
    source: 'start-sandbox.cjs',
    purpose: 'what the tests start their servers with',
  }
  const types: StarterFile = {
    name: 'start-sandbox.d.cts',
    source: 'start-sandbox.d.cts',
    purpose: 'its types, for tests in TypeScript',
  }
  return isTyped ? [start, types] : [start]
}
