import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** Replicas of a server over one Redis, from outside. `npm run test:store` runs it. */
export default defineConfig({
  test: {
    ...suite,
    include: ['test/store/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    // The tests mostly wait for effects that a server or Redis has after seconds.
    maxWorkers: 2 * availableParallelism(),
    expect: { ...suite.expect, poll: { timeout: 30_000, interval: 10 } },
  },
})
