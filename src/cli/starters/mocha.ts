import { assertTests, client, OWN_SERVER } from './starter.ts'
import type { Starter } from './starter.ts'

export const mocha: Starter = {
  runner: 'Mocha',
  write: ({ fixture, isModule, exec }) => ({
    name: `agency.test.${isModule ? 'js' : 'mjs'}`,
    command: (path) => exec(`mocha ${path}`),
    text: `import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { loadFixtures, startServer } from 'seo-sandbox/server'

const fixtures = loadFixtures(fileURLToPath(new URL('${fixture}', import.meta.url)))
let server

${OWN_SERVER}
async function start() {
  server = await startServer({ port: 0, fixtures })
  return { api: \`\${server.url}/api/v1\`, sandbox: server.sandbox }
}
afterEach(() => server.close())

${assertTests('it', (names) => `const ${names} = await start()`)}
${client(false)}`,
  }),
}
