import { defineConfig } from 'vitest/config'
import { suite } from '../support/suite.ts'

/** The test of releases, which needs git. `npm run test:release` runs it. */
export default defineConfig({ test: { ...suite, include: ['test/release/**/*.test.ts'] } })
