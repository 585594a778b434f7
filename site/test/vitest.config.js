import { defineConfig } from 'vitest/config'

/** The site as it is built, under two bases, and in Chromium. `npm run test:site` runs this. */
export default defineConfig({
  test: {
    include: ['site/test/**/*.test.js'],
    testTimeout: 180_000,
    // A build takes a minute and a half on a busy machine.
    hookTimeout: 600_000,
    expect: { requireAssertions: true },
  },
})
