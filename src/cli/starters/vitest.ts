import { client, IMPORT_REPORT } from './starter.ts'
import type { Starter } from './starter.ts'

export const vitest: Starter = {
  runner: 'Vitest',
  write: ({ fixture, isTypeScript, exec }) => {
    const name = `agency.test.${isTypeScript ? 'ts' : 'js'}`
    return {
      name,
      command: () => exec(`vitest run ${name}`),
      text: `import { join } from 'node:path'
${isTypeScript ? IMPORT_REPORT : ''}import { loadFixtures } from 'seo-sandbox/server'
import { createTest } from 'seo-sandbox/vitest'
import { expect } from 'vitest'

// Each test has its own sandbox, so tests do not see each other's changes.
const test = createTest({ fixtures: loadFixtures(join(import.meta.dirname, '${fixture}')) })

test('the report completed this month is the latest', async ({ api }) => {
  expect(await latestReport(api, 101)).toMatchObject({ report_number: 2, status: 'completed' })
})

test('a completed report shows at once', async ({ api, sandbox }) => {
  expect(await latestReport(api, 102)).toMatchObject({ status: 'running' })
  await sandbox.reports.complete({ project: 102, report_number: 1 })
  expect(await latestReport(api, 102)).toMatchObject({ status: 'completed' })
})

${client(isTypeScript)}`,
    }
  },
}
