import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** What the built program does as a process of Linux. `npm run test:processes` runs it. */
export default defineConfig({
  test: {
    ...suite,
    include: ['test/processes/**/*.test.ts'],
    // Importing the modules that files share takes longer than most of their tests.
    isolate: false,
  },
})
