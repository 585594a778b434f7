import { defineConfig } from 'vitest/config'
import { nightlyFiles } from '../support/depth.ts'

/** Whole months and years of clients of every kind. `npm run test:rehearse` runs it. */
export default defineConfig({
  test: {
    include: ['test/rehearse/**/*.test.ts'],
    exclude: nightlyFiles,
    globalSetup: ['scripts/write-modules.js'],
    setupFiles: ['test/support/setup.ts'],
    maxWorkers: '100%',
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Importing the modules that files share takes longer than most of their tests.
    isolate: false,
    expect: { requireAssertions: true },
  },
})
