/** The properties of a project that determine the test. */
export interface Setup {
  runner: Runner
  /** Whether a `.js` file is an ES module. */
  isModule: boolean
  isTypeScript: boolean
}

export type Runner = 'vitest' | 'jest' | 'playwright' | 'node'

/** A test for the starter fixture. */
export interface StarterTest {
  name: string
  text: string
  /** The display name of the runner. */
  runner: string
  /** The command that runs the test at a path. */
  command: (path: string) => string
}

/** The test that `seo-sandbox init` writes next to `fixture`. */
export function createStarterTest(setup: Setup, fixture: string): StarterTest {
  return WRITERS[setup.runner](setup, fixture)
}

type Writer = (setup: Setup, fixture: string) => StarterTest

const WRITERS: Record<Runner, Writer> = {
  vitest: ({ isTypeScript }, fixture) => {
    const name = isTypeScript ? 'agency.test.ts' : 'agency.test.js'
    return {
      name,
      runner: 'Vitest',
      command: () => `npx vitest run ${name}`,
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
  await sandbox.reports.set({ project: 102, report_number: 1 }, { status: 'completed' })
  expect(await latestReport(api, 102)).toMatchObject({ status: 'completed' })
})

${client(isTypeScript)}`,
    }
  },

  jest: ({ isModule }, fixture) => ({
    name: 'agency.test.js',
    runner: 'Jest',
    // On Windows npx cannot pass options to Node.
    command: () => 'node --experimental-vm-modules node_modules/jest/bin/jest.js agency.test.js',
    text: `${isModule ? jestModule(fixture) : jestCommonJs(fixture)}afterEach(() => server.close())

test('the report completed this month is the latest', async () => {
  const api = \`\${server.url}/api/v1\`
  expect(await latestReport(api, 101)).toMatchObject({ report_number: 2, status: 'completed' })
})

test('a completed report shows at once', async () => {
  const api = \`\${server.url}/api/v1\`
  expect(await latestReport(api, 102)).toMatchObject({ status: 'running' })
  await server.sandbox.reports.set({ project: 102, report_number: 1 }, { status: 'completed' })
  expect(await latestReport(api, 102)).toMatchObject({ status: 'completed' })
})

${client(false)}`,
  }),

  playwright: ({ isModule, isTypeScript }, fixture) => {
    const kind = isTypeScript ? 'ts' : 'js'
    const name = `agency.spec.${isModule ? kind : `m${kind}`}`
    return {
      name,
      runner: 'Playwright',
      command: () => `npx playwright test ${name}`,
      text: `import { join } from 'node:path'
import { expect, test as base } from '@playwright/test'
${isTypeScript ? IMPORT_REPORT : ''}import { loadFixtures, startServer } from 'seo-sandbox/server'
${isTypeScript ? "import type { SandboxServer } from 'seo-sandbox/server'\n" : ''}
const fixtures = loadFixtures(join(import.meta.dirname, '${fixture}'))

// Each test has its own server, so tests do not see each other's changes.
const test = base.extend${isTypeScript ? '<{ server: SandboxServer }>' : ''}({
  server: async ({}, use) => {
    const server = await startServer({ port: 0, fixtures })
    await use(server)
    await server.close()
  },
})

test('the report completed this month is the latest', async ({ server }) => {
  const api = \`\${server.url}/api/v1\`
  expect(await latestReport(api, 101)).toMatchObject({ report_number: 2, status: 'completed' })
})

test('a completed report shows at once', async ({ server }) => {
  const api = \`\${server.url}/api/v1\`
  expect(await latestReport(api, 102)).toMatchObject({ status: 'running' })
  await server.sandbox.reports.set({ project: 102, report_number: 1 }, { status: 'completed' })
  expect(await latestReport(api, 102)).toMatchObject({ status: 'completed' })
})

${client(isTypeScript, 'or the page that uses it')}`,
    }
  },

  node: ({ isModule }, fixture) => ({
    name: isModule ? 'agency.test.js' : 'agency.test.mjs',
    runner: 'node:test',
    command: (path) => `node --test ${path}`,
    text: `import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadFixtures, startServer } from 'seo-sandbox/server'

const fixtures = loadFixtures(join(import.meta.dirname, '${fixture}'))

// Each test has its own server, so tests do not see each other's changes.
async function start(t) {
  const { url, sandbox, close } = await startServer({ port: 0, fixtures })
  t.after(close)
  return { api: \`\${url}/api/v1\`, sandbox }
}

test('the report completed this month is the latest', async (t) => {
  const { api } = await start(t)
  const { report_number, status } = await latestReport(api, 101)
  assert.deepEqual({ report_number, status }, { report_number: 2, status: 'completed' })
})

test('a completed report shows at once', async (t) => {
  const { api, sandbox } = await start(t)
  assert.equal((await latestReport(api, 102)).status, 'running')
  await sandbox.reports.set({ project: 102, report_number: 1 }, { status: 'completed' })
  assert.equal((await latestReport(api, 102)).status, 'completed')
})

${client(false)}`,
  }),
}

const IMPORT_REPORT = "import type { Report } from 'seo-sandbox'\n"

function jestModule(fixture: string): string {
  return `import { fileURLToPath } from 'node:url'
import { loadFixtures, startServer } from 'seo-sandbox/server'

const fixtures = loadFixtures(fileURLToPath(new URL('${fixture}', import.meta.url)))
let server

// Each test has its own server, so tests do not see each other's changes.
beforeEach(async () => {
  server = await startServer({ port: 0, fixtures })
})
`
}

/** seo-sandbox is ESM only, so a CommonJS file has to import it inside a function. */
function jestCommonJs(fixture: string): string {
  return `const { join } = require('node:path')

let server

// Each test has its own server, so tests do not see each other's changes.
beforeEach(async () => {
  const { loadFixtures, startServer } = await import('seo-sandbox/server')
  server = await startServer({ port: 0, fixtures: loadFixtures(join(__dirname, '${fixture}')) })
})
`
}

/** A client for the tests, which users replace by their own. */
function client(isTypeScript: boolean, note = 'which takes the base URL of the API'): string {
  return `/** Replace this with the client under test, ${note}. */
async function latestReport(${isTypeScript ? 'api: string, project: number' : 'api, project'}) {
  const headers = { authorization: 'Bearer test-agency' }
  const response = await fetch(\`\${api}/projects/\${project}/reports/latest\`, { headers })
  const { data } = ${isTypeScript ? '(await response.json()) as { data: Report }' : 'await response.json()'}
  return data
}
`
}
