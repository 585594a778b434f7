import { client, expectTests, OWN_SERVER } from './starter.ts'
import type { Starter } from './starter.ts'

/** The module that CommonJS imports seo-sandbox in. */
const SUPPORT = 'start-sandbox.cjs'

export const jest: Starter = {
  runner: 'Jest',
  write: ({ fixture, isModule, jestProgram }) => ({
    name: 'agency.test.js',
    // On Windows npx cannot pass options to Node.
    command: () => `node --experimental-vm-modules ${jestProgram} agency.test.js`,
    text: `/** @jest-environment node */
${isModule ? inModule(fixture) : IN_COMMONJS}
let server

${OWN_SERVER}
beforeEach(async () => {
  server = await startSandbox()
})
afterEach(() => server.close())

${expectTests('test')}
${client(false)}`,
    ...(!isModule && { support: { name: SUPPORT, text: support(fixture) } }),
  }),
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
function support(fixture: string): string {
  return `const { join } = require('node:path')

/**
 * Starts a server with the fixture. seo-sandbox is an ES module, which CommonJS has to import in a function. This file is called
 * .cjs because @swc/jest, ts-jest and Babel may turn the import() of a .js or .ts file into a require(), which fails.
 */
exports.startSandbox = async () => {
  const { loadFixtures, startServer } = await import('seo-sandbox/server')
  return startServer({ port: 0, fixtures: loadFixtures(join(__dirname, '${fixture}')) })
}
`
}
