import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** Replicas of a server over one Redis, from outside. `npm run test:store` runs it. */
export default defineConfig({
  test: {
    ...suite,
    include: ['test/store/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Much of their time they wait for what a server or Redis does after seconds.
    maxWorkers: 2 * availableParallelism(),
    expect: { ...suite.expect, poll: { timeout: 30_000, interval: 10 } },
  },
})
