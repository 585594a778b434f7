import { defineConfig } from 'vitest/config'

/** Tests of the built site, under two bases and in Chromium. Run them by `npm run test:site`. */
export default defineConfig({
  test: {
    include: ['site/test/**/*.test.js'],
    testTimeout: 180_000,
    // A build takes a minute and a half on a busy machine.
    hookTimeout: 600_000,
    expect: { requireAssertions: true },
  },
})
