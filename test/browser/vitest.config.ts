import { defineConfig } from 'vitest/config'
import { nightlyFiles } from '../support/depth.ts'

/** Tests that need a browser or a bundler: the built package in a page. `npm run test:browser` runs them. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    exclude: nightlyFiles,
    // Vite bundles for production only with this value, in any mode; Vitest would set `test`.
    env: { NODE_ENV: 'production' },
    maxWorkers: '100%',
    testTimeout: 180_000,
    // Browsers are other people's programs. The report says which tests were run again.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // A page on a busy machine takes its time.
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
  },
})
