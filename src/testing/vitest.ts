import { test as base } from 'vitest'
import { API_PREFIX } from '../contract/url.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { serveSandbox, toSandboxOptions } from '../server/start-server.ts'
import type { ServerOptions } from '../server/server-options.ts'

/** The fixtures in the first parameter of a test. A fixture is created only if the test uses it. */
export interface SandboxFixtures {
  /** A sandbox for this test alone. It is reset after the test. */
  sandbox: Sandbox
  /** The base URL of the sandbox on a server, `/api/v1` included. */
  api: string
}

/**
 * Extends Vitest's `test` with a sandbox for each test, so that tests can run concurrently: `const test = createTest({
 * fixtures })`, then `test('…', async ({ sandbox, api }) => {})`. The options are those of `startServer`; if `port` is
 * omitted, a free one is used.
 *
 * @throws OptionError for an unknown option; other errors fail the test.
 */
export function createTest(options: ServerOptions = {}) {
  const ofSandbox = toSandboxOptions(options, 'createTest')
  // Fixtures that cannot be loaded fail the tests that use them. Until then, Node might report the rejection as unhandled.
  if (options.fixtures instanceof Promise) options.fixtures.catch(() => undefined)
  return base.extend<SandboxFixtures>({
    // Vitest reads the dependencies of a fixture from the pattern; this one has none.
    // oxlint-disable-next-line no-empty-pattern
    sandbox: async ({}, use) => {
      const sandbox = await createSandbox(ofSandbox)
      await use(sandbox)
      await sandbox.reset()
    },
    api: async ({ sandbox }, use) => {
      const server = await serveSandbox(sandbox, { port: 0, ...options })
      await use(`${server.url}${API_PREFIX}`)
      await server.close()
    },
  })
}

/** Vitest's `test` with the default world, as `createTest()` returns it. */
export const test = createTest()
