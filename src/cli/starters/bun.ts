import { client, expectTests, IMPORT_REPORT, OWN_SERVER } from './starter.ts'
import type { Starter } from './starter.ts'

export const bun: Starter = {
  runner: 'Bun',
  write: ({ fixture, isTypeScript }) => {
    const name = `agency.test.${isTypeScript ? 'ts' : 'js'}`
    return {
      name,
      command: (path) => `bun test ${path}`,
      text: `import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
${isTypeScript ? IMPORT_REPORT : ''}import { loadFixtures, startServer } from 'seo-sandbox/server'
${isTypeScript ? "import type { SandboxServer } from 'seo-sandbox/server'\n" : ''}
const fixtures = loadFixtures(join(import.meta.dirname, '${fixture}'))
let server${isTypeScript ? ': SandboxServer' : ''}

${OWN_SERVER}
beforeEach(async () => {
  server = await startServer({ port: 0, fixtures })
})
afterEach(() => server.close())

${expectTests('test')}
${client(isTypeScript)}`,
    }
  },
}
