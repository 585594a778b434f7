import { client, expectTests, IMPORT_REPORT, OWN_SERVER } from './starter.ts'
import type { Starter } from './starter.ts'

export const playwright: Starter = {
  runner: 'Playwright',
  write: ({ fixture, isModule, isTypeScript, exec }) => {
    const kind = isTypeScript ? 'ts' : 'js'
    const name = `agency.spec.${isModule ? kind : `m${kind}`}`
    return {
      name,
      command: () => exec(`playwright test ${name}`),
      text: `import { join } from 'node:path'
import { expect, test as base } from '@playwright/test'
${isTypeScript ? IMPORT_REPORT : ''}import { loadFixtures, startServer } from 'seo-sandbox/server'
${isTypeScript ? "import type { SandboxServer } from 'seo-sandbox/server'\n" : ''}
const fixtures = loadFixtures(join(import.meta.dirname, '${fixture}'))

${OWN_SERVER}
const test = base.extend${isTypeScript ? '<{ server: SandboxServer }>' : ''}({
  server: async ({}, use) => {
    const server = await startServer({ port: 0, fixtures })
    await use(server)
    await server.close()
  },
})

${expectTests('test', '{ server }')}
${client(isTypeScript, 'or the page that uses it')}`,
    }
  },
}
