import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** Tests of the built program as a process of Linux, for `npm run test:processes`. */
export default defineConfig({
  test: {
    ...suite,
    include: ['test/processes/**/*.test.ts'],
    // Importing the modules that files share takes longer than most of their tests.
    isolate: false,
  },
})
