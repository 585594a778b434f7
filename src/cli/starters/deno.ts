import { assertTests, client, IMPORT_REPORT, OWN_SERVER } from './starter.ts'
import type { Starter } from './starter.ts'

export const deno: Starter = {
  runner: 'Deno',
  write: ({ fixture }) => ({
    name: 'agency.test.ts',
    command: (path) => `deno test --allow-all ${path}`,
    text: `import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
${IMPORT_REPORT}import { loadFixtures, startServer } from 'seo-sandbox/server'

const fixtures = loadFixtures(fileURLToPath(new URL('${fixture}', import.meta.url)))

${OWN_SERVER}
async function start() {
  const { url, sandbox, close } = await startServer({ port: 0, fixtures })
  return { api: \`\${url}/api/v1\`, sandbox, [Symbol.asyncDispose]: close }
}

${assertTests('Deno.test', (names) => `await using server = await start()\n  const ${names} = server`)}
${client(true)}`,
  }),
}
