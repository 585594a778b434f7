import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** The static site in Firefox, which differs from Chromium in what workers may do. `npm run test:firefox` runs it. */
export default defineConfig({
  test: {
    ...suite,
    include: ['test/firefox/**/*.test.ts'],
    // A page on a busy machine takes its time.
    expect: { ...suite.expect, poll: { timeout: 20_000 } },
  },
})
