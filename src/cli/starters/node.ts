import { assertTests, client, OWN_SERVER } from './starter.ts'
import type { Starter } from './starter.ts'

export const node: Starter = {
  runner: 'node:test',
  write: ({ fixture, isModule }) => ({
    name: `agency.test.${isModule ? 'js' : 'mjs'}`,
    command: (path) => `node --test ${path}`,
    text: `import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadFixtures, startServer } from 'seo-sandbox/server'

const fixtures = loadFixtures(join(import.meta.dirname, '${fixture}'))

${OWN_SERVER}
async function start(t) {
  const { url, sandbox, close } = await startServer({ port: 0, fixtures })
  t.after(close)
  return { api: \`\${url}/api/v1\`, sandbox }
}

${assertTests('test', (names) => `const ${names} = await start(t)`, 't')}
${client(false)}`,
  }),
}
