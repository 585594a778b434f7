import { defineConfig } from 'vitest/config'
import { nightlyFiles } from '../support/depth.ts'

/** What the built program does as a process of Linux. `npm run test:processes` runs it. */
export default defineConfig({
  test: {
    include: ['test/processes/**/*.test.ts'],
    exclude: nightlyFiles,
    maxWorkers: '100%',
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Importing the modules that files share takes longer than most of their tests.
    isolate: false,
    expect: { requireAssertions: true },
  },
})
