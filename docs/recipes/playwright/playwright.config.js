import { defineConfig } from '@playwright/test'

export default defineConfig({
  testMatch: '*.spec.js',
  reporter: 'list',
  // Each test has a sandbox of its own, so they may all run at the same time.
  fullyParallel: true,
  use: {
    launchOptions: {
      // A Chromium that is installed already; Playwright's own where CHROMIUM is unset.
      executablePath: process.env.CHROMIUM || undefined,
      // No other host has an address, so nothing leaves this machine, the browser's own calls included.
      args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    },
  },
})
