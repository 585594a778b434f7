import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startServer } from 'seo-sandbox/server'
import { expect, test } from 'vitest'
import { codeOf } from '../../src/console/code/code-of.ts'
import { ACTS } from '../support/console-acts.ts'

/** What the console writes of what was done, run as it is. */

const run = promisify(execFile)

const KEY = 'a-key-of-16-letters'

test.each([
  ['python', 'python3', 'test_as_in_the_console()'],
  ['curl', 'sh', ''],
] as const)(
  'the test in %s holds against a server whose world has moved on, and leaves that alone',
  async (language, program, call) => {
    await using server = await start()
    const before = server.sandbox.clock.read().now
    const code = codeOf(language, ACTS, {
      origin: server.url,
      world: 'default',
      isDemo: false,
      needsKey: true,
    })
    const env = { ...process.env, SEO_SANDBOX_ADMIN_KEY: KEY }
    await run(program, ['-c', `${code}\n${call}`], { env })
    const broken = code.replaceAll(/\b401\b/g, '200')
    await expect(run(program, ['-c', `${broken}\n${call}`], { env })).rejects.toThrow()
    expect(server.sandbox.clock.read().now).toBe(before)
    expect(server.sandbox.world.journal.commands).toHaveLength(1)
  },
)

async function start() {
  const server = await startServer({ port: 0, adminKey: KEY, frozen: true })
  await server.sandbox.clock.advance('P3M')
  return {
    url: server.url,
    sandbox: server.sandbox,
    [Symbol.asyncDispose]: () => server.close(),
  }
}
