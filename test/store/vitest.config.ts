import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { nightlyFiles } from '../support/depth.ts'

/** Replicas of a server over one Redis, from outside. `npm run test:store` runs it. */
export default defineConfig({
  test: {
    include: ['test/store/**/*.test.ts'],
    exclude: nightlyFiles,
    setupFiles: ['test/support/setup.ts'],
    // Much of their time they wait for what a server or Redis does after seconds.
    maxWorkers: 2 * availableParallelism(),
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { requireAssertions: true, poll: { timeout: 30_000, interval: 10 } },
  },
})
