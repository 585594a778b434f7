import { test as base } from 'vitest'
import { API_PREFIX } from '../contract/conventions.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import { serveSandbox } from '../server/start-server.ts'

/** What a test may ask for in its first parameter; nothing is made that is not asked for. */
export interface SandboxFixtures {
  /** A sandbox of the test's own. It is reset when the test is over. */
  sandbox: Sandbox
  /** Where that sandbox listens, `/api/v1` included, for a client that takes a base URL. */
  api: string
}

/**
 * Vitest's `test` with a sandbox of these options for each test, so that tests may run at the same time:
 * `const test = createTest({ fixtures })`, then `test('…', async ({ sandbox, api }) => {})`.
 */
export function createTest(options: SandboxOptions = {}) {
  return base.extend<SandboxFixtures>({
    // Vitest reads from the pattern what a fixture depends on; this one on none.
    // oxlint-disable-next-line no-empty-pattern
    sandbox: async ({}, use) => {
      const sandbox = await createSandbox(options)
      await use(sandbox)
      await sandbox.reset()
    },
    api: async ({ sandbox }, use) => {
      const server = await serveSandbox(sandbox, { port: 0 })
      await use(`${server.url}${API_PREFIX}`)
      await server.close()
    },
  })
}

/** The same over the default world. */
export const test = createTest()
