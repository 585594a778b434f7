import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** Tests of whole months and years with clients of every kind. `npm run test:rehearse` runs them. */
export default defineConfig({
  test: {
    ...suite,
    include: ['test/rehearse/**/*.test.ts'],
    globalSetup: ['scripts/write-modules.js'],
    setupFiles: ['test/support/setup.ts'],
    // Importing the modules that files share takes longer than most of their tests.
    isolate: false,
  },
})
