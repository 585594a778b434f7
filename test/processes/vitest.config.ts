import { defineConfig } from 'vitest/config'

/** How servers are started and stopped by other programs of Linux. `npm run test:processes` runs it. */
export default defineConfig({
  test: {
    include: ['test/processes/**/*.test.ts'],
    maxWorkers: '100%',
    testTimeout: 60_000,
    expect: { requireAssertions: true },
  },
})
