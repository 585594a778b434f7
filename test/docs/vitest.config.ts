import { defineConfig } from 'vitest/config'

/** Tests that run other programs: the examples of the guides, and Vitest itself. `npm run test:docs` runs them. */
export default defineConfig({
  test: {
    include: ['test/docs/**/*.test.ts'],
    globalSetup: ['test/docs/programs.ts'],
    maxWorkers: '100%',
    testTimeout: 180_000,
    expect: { requireAssertions: true },
  },
})
