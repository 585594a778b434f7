import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import type { Plugin } from 'vitest/config'
import { suite } from './test/support/suite.ts'

/** Where msw 3 is installed; it is unset where it cannot run, before Node 22.12. */
const { MSW_3 } = process.env

export default defineConfig({
  plugins: MSW_3 === undefined ? [] : [secondMsw(MSW_3)],
  test: {
    ...suite,
    // That of Vitest among the tests that init writes runs as it stands.
    include: ['test/**/*.test.ts', 'fixtures/starters/vitest.test.ts'],
    exclude: [
      'test/browser/**',
      'test/docs/**',
      'test/firefox/**',
      'test/processes/**',
      'test/rehearse/**',
      'test/release/**',
      'test/store/**',
      '**/node_modules/**',
    ],
    typecheck: {
      enabled: true,
      include: ['test/types/**/*.test-d.ts'],
      // Only these: `npm run check:types` checks all files.
      tsconfig: 'test/types/tsconfig.json',
    },
    globalSetup: ['scripts/write-modules.js'],
    setupFiles: ['test/support/setup.ts'],
    // Files share their modules: importing them again for each would take as long as running them.
    isolate: false,
  },
})

/**
 * Lets both majors of msw run in one process. `msw-3` and `msw-3/node` are msw 3, and a source imported
 * with `?msw-3` is a second copy of it, whose own `msw` is msw 3.
 */
function secondMsw(folder: string): Plugin {
  const entries: Record<string, string> = {
    'msw-3': resolve(import.meta.dirname, folder, 'lib/core/index.js'),
    'msw-3/node': resolve(import.meta.dirname, folder, 'lib/node/index.js'),
  }
  return {
    name: 'second-msw',
    enforce: 'pre',
    resolveId(source, importer) {
      const wanted = source === 'msw' && importer?.endsWith('?msw-3') ? 'msw-3' : source
      return entries[wanted]
    },
  }
}
