import type { ViteUserConfig } from 'vitest/config'
import { FlakyReporter } from './flaky-reporter.ts'

const isCi = process.env['CI'] !== undefined

/** Settings of every suite. The time limits only end tests that hang. In CI a failed test runs once more, and is listed if it then passes. */
export const suite = {
  expect: { requireAssertions: true },
  hookTimeout: 180_000,
  maxWorkers: '100%',
  reporters: isCi ? ['default', new FlakyReporter()] : ['default'],
  retry: isCi ? 1 : 0,
  tags: [{ name: 'core', description: 'Runs in .ci/run. .ci/nightly runs the whole suite.' }],
  testTimeout: 180_000,
} satisfies ViteUserConfig['test']
