import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** Tests that run other programs: the examples of the guides, and Vitest itself. `npm run test:docs` runs them. */
export default defineConfig({
  test: { ...suite, include: ['test/docs/**/*.test.ts'], globalSetup: ['test/docs/programs.ts'] },
})
