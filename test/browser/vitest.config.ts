import { defineConfig } from 'vitest/config'

/** What needs a browser or a bundler: the built package in a page. `npm run test:browser` runs it. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Vite bundles for production only where this says so, whatever its mode; Vitest's own is `test`.
    env: { NODE_ENV: 'production' },
    testTimeout: 60_000,
    expect: { requireAssertions: true },
  },
})
