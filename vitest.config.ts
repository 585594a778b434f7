import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // Files share their modules: importing them anew for each would take as long as running them.
    isolate: false,
    expect: { requireAssertions: true },
  },
})
