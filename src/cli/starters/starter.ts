import type { Project } from '../project.ts'

/** The properties of a project that determine its starter test. */
interface Setup extends Pick<Project, 'isModule' | 'isTypeScript' | 'dependsOn' | 'testScript'> {
  /** The file of the starter fixture, next to the test. */
  fixture: string
  /** The path of Jest's program, from the folder of package.json, quoted for a shell. */
  jestProgram: string
  /** How the project runs the command of a package: `npx vitest`. */
  exec: (command: string) => string
}

/** A test for the starter fixture, as `seo-sandbox init` writes it. */
export interface StarterTest {
  name: string
  text: string
  /** Files that the test needs, in the same folder. */
  support?: StarterFile[]
  /** The command that runs the test at a path. */
  command: (path: string) => string
  /** The `test` script that package.json needs, where the present one cannot run the test. */
  script?: { test: string; reason: string } | undefined
}

/** A file to write, and what it is for. */
export interface StarterFile {
  name: string
  text: string
  purpose: string
}

/** Writes the test for a runner. */
export interface Starter {
  /** The display name of the runner. */
  runner: string
  write: (setup: Setup) => StarterTest
}

export const OWN_SERVER =
  "// Each test has its own server, so tests do not see each other's changes."

export const IMPORT_REPORT = "import type { Report } from 'seo-sandbox'\n"

/** Two tests whose runner starts a `server` ahead of each; `parameters` are those of a test. */
export function expectTests(test: string, parameters = ''): string {
  return `${test}('the report completed this month is the latest', async (${parameters}) => {
  const api = \`\${server.url}/api/v1\`
  expect(await latestReport(api, 101)).toMatchObject({ report_number: 2, status: 'completed' })
})

${test}('a completed report shows at once', async (${parameters}) => {
  const api = \`\${server.url}/api/v1\`
  expect(await latestReport(api, 102)).toMatchObject({ status: 'running' })
  await server.sandbox.reports.complete({ project: 102, report_number: 1 })
  expect(await latestReport(api, 102)).toMatchObject({ status: 'completed' })
})
`
}

/** The same with assertions of Node; `start` is the code that starts a server and reads these of `api` and `sandbox`. */
export function assertTests(
  test: string,
  start: (names: string) => string,
  parameters = '',
): string {
  return `${test}('the report completed this month is the latest', async (${parameters}) => {
  ${start('{ api }')}
  const { report_number, status } = await latestReport(api, 101)
  assert.deepEqual({ report_number, status }, { report_number: 2, status: 'completed' })
})

${test}('a completed report shows at once', async (${parameters}) => {
  ${start('{ api, sandbox }')}
  assert.equal((await latestReport(api, 102)).status, 'running')
  await sandbox.reports.complete({ project: 102, report_number: 1 })
  assert.equal((await latestReport(api, 102)).status, 'completed')
})
`
}

/** A client for the tests, which users replace by their own. */
export function client(
  isTypeScript: boolean,
  note = 'which takes the base URL of the API',
): string {
  return `/** Replace this with the client under test, ${note}. */
async function latestReport(${isTypeScript ? 'api: string, project: number' : 'api, project'}) {
  const headers = { authorization: 'Bearer test-agency' }
  const response = await fetch(\`\${api}/projects/\${project}/reports/latest\`, { headers })
  const { data } = ${isTypeScript ? '(await response.json()) as { data: Report }' : 'await response.json()'}
  return data
}
`
}
