import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** Tests that need a browser or a bundler: the built package in a page. `npm run test:browser` runs them. */
export default defineConfig({
  test: {
    ...suite,
    include: ['test/browser/**/*.test.ts'],
    // Vite bundles for production only with this value, in any mode; Vitest would set `test`.
    env: { NODE_ENV: 'production' },
    // A page on a busy machine takes its time.
    expect: { ...suite.expect, poll: { timeout: 20_000 } },
  },
})
