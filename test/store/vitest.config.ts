import { defineConfig } from 'vitest/config'

/** Replicas of a server over one Redis, from outside. `npm run test:store` runs it. */
export default defineConfig({
  test: {
    include: ['test/store/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    maxWorkers: '100%',
    testTimeout: 180_000,
    expect: { requireAssertions: true, poll: { timeout: 30_000, interval: 10 } },
  },
})
