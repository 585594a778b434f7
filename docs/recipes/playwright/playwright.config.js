import { defineConfig } from '@playwright/test'

export default defineConfig({
  testMatch: '*.spec.js',
  reporter: 'list',
  // Each test has its own sandbox, so all of them can run in parallel.
  fullyParallel: true,
  use: {
    launchOptions: {
      // An installed Chromium; Playwright's own if CHROMIUM is unset.
      executablePath: process.env.CHROMIUM || undefined,
      // No other host resolves, so nothing leaves this machine, not even the browser's own requests.
      args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    },
  },
})
