import { defineConfig } from 'vitest/config'

/** The test of releases, which needs git. `npm run test:release` runs it. */
export default defineConfig({
  test: {
    include: ['test/release/**/*.test.ts'],
    // Only what hangs: on a busy machine nothing else fails by it.
    testTimeout: 180_000,
    expect: { requireAssertions: true },
  },
})
