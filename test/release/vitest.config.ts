import { defineConfig } from 'vitest/config'

/** The test of releases, which needs git. `npm run test:release` runs it. */
export default defineConfig({
  test: {
    include: ['test/release/**/*.test.ts'],
    testTimeout: 60_000,
    expect: { requireAssertions: true },
  },
})
