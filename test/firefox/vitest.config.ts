import { defineConfig } from 'vitest/config'

/** The static site in Firefox, which differs from Chromium in what workers may do. `npm run test:firefox` runs it. */
export default defineConfig({
  test: {
    include: ['test/firefox/**/*.test.ts'],
    maxWorkers: '100%',
    testTimeout: 180_000,
    // Browsers are other people's programs. The report says which tests were run again.
    retry: process.env['CI'] === undefined ? 0 : 1,
    hookTimeout: 180_000,
    // A page on a busy machine takes its time.
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
  },
})
