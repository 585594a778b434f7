import { client, expectTests, OWN_SERVER } from './starter.ts'
import type { Starter, StarterFile, StarterTest } from './starter.ts'

/** The module that CommonJS imports seo-sandbox in. */
const SUPPORT = 'start-sandbox.cjs'

export const jest: Starter = {
  runner: 'Jest',
  write: ({ fixture, isModule, isTypeScript, dependsOn, testScript, jestProgram }) => {
    // On Windows npx cannot pass options to Node.
    const run = `node ${NODE_OPTION} ${jestProgram}`
    return {
      name: 'agency.test.js',
      command: () => `${run} agency.test.js`,
      script: toScript(testScript, run),
      text: `/** @jest-environment node */
${isModule ? inModule(fixture) : IN_COMMONJS}
let server

${OWN_SERVER}
beforeEach(async () => {
  server = await startSandbox()
})
afterEach(() => server?.close())

${expectTests('test')}
${client(false)}`,
      ...(!isModule && {
        support: [
          support(fixture),
          ...(isTypeScript || dependsOn('typescript') ? [SUPPORT_TYPES] : []),
        ],
      }),
    }
  },
}

/** With this option Jest imports ES modules. */
const NODE_OPTION = '--experimental-vm-modules'

/** A `test` script whose Jest runs with the option; undefined where it does already. */
function toScript(script: string | undefined, run: string): StarterTest['script'] {
  if (script?.includes(NODE_OPTION)) return undefined
  const jestCommand = /(?<=^|\s)(?:npx )?jest(?=\s|$)/
  return {
    test: script && jestCommand.test(script) ? script.replace(jestCommand, () => run) : run,
    reason: 'Without the option Jest cannot import seo-sandbox, an ES module.',
  }
}

function inModule(fixture: string): string {
  return `import { fileURLToPath } from 'node:url'
import { loadFixtures, startServer } from 'seo-sandbox/server'

const fixtures = loadFixtures(fileURLToPath(new URL('${fixture}', import.meta.url)))
const startSandbox = () => startServer({ port: 0, fixtures })
`
}

const IN_COMMONJS = `const { startSandbox } = require('./${SUPPORT}')
`

/** Transformers leave files called `.cjs` alone. */
function support(fixture: string): StarterFile {
  return {
    name: SUPPORT,
    purpose: 'what the tests start their servers with',
    text: `const { join } = require('node:path')

/**
 * Starts a server with the fixture. seo-sandbox is an ES module, which CommonJS has to import in a function. This file is called
 * .cjs because @swc/jest, ts-jest and Babel may turn the import() of a .js or .ts file into a require(), which fails.
 */
exports.startSandbox = async () => {
  const { loadFixtures, startServer } = await import('seo-sandbox/server')
  return startServer({ port: 0, fixtures: loadFixtures(join(__dirname, '${fixture}')) })
}
`,
  }
}

const SUPPORT_TYPES: StarterFile = {
  name: 'start-sandbox.d.cts',
  purpose: 'its types, for tests in TypeScript',
  text: `import type { SandboxServer } from 'seo-sandbox/server' with { 'resolution-mode': 'import' }

/** Starts a server with the fixture. */
export function startSandbox(): Promise<SandboxServer>
`,
}
