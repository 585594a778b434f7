import { readFile, writeFile } from 'node:fs/promises'
import { createOpenApi } from '../dist/contract/openapi.js'
import { PROBLEMS } from '../dist/contract/problems.js'
import { CONTROL_GROUPS } from '../dist/control-api/control-routes.js'
import { CONTROL_PREFIX } from '../dist/control-api/prefix.js'
import { createControlOpenApi } from '../dist/control-api/openapi.js'
import { createSandbox, VERSION } from '../dist/index.js'
import { DEFAULT_HOST, DEFAULT_PORT } from '../dist/server/server-options.js'

/**
 * Writes dist/openapi.json from the contract, its examples being asked of the sandbox over the example world,
 * and dist/control-openapi.json from the routes of the control API.
 */

/** What is asked for the example of an operation's answer. */
const ANSWERS = {
  getMe: '/me',
  listCountries: '/countries',
  getCountry: '/countries/45',
  listLanguages: '/languages',
  getLanguage: '/languages/1',
  listUsers: '/users',
  getUser: '/users/7',
  listProjects: '/projects?status=active&per_page=2',
  getProject: '/projects/101',
  listReports: '/projects/104/reports',
  getLatestReport: '/projects/102/reports/latest',
  getLastGeneratedReport: '/projects/102/reports/last-generated',
  getReportContent: '/projects/101/reports/1/content',
  listKeywords: '/projects/101/keywords',
}

const AGENCY = 'northlight-live'

/** What is asked for the example of a problem, and by whom. */
const PROBLEM_REQUESTS = {
  unauthenticated: ['/me', 'nobody'],
  ip_not_allowed: ['/me', 'northlight-office'],
  rate_limit_exceeded: ['/me', 'northlight-tiny'],
  country_not_found: ['/countries/672', AGENCY],
  language_not_found: ['/languages/99', AGENCY],
  user_not_found: ['/users/9', AGENCY],
  project_not_found: ['/projects/201', AGENCY],
  report_not_found: ['/projects/104/reports/latest', AGENCY],
  report_number_out_of_range: ['/projects/101/reports/27/content', AGENCY],
  unknown_parameter: ['/projects?sort=name', AGENCY],
  invalid_parameter: ['/projects?agency_id=northlight', 'operator-super'],
  agency_filter_forbidden: ['/projects?agency_id=1', AGENCY],
}

const fixtures = await readFile(
  new URL('../fixtures/examples/agency.yaml', import.meta.url),
  'utf8',
)
const sandbox = await createSandbox({ fixtures })

/** The body of an answer, which has to be of that status. */
async function ask(path, token, status) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await sandbox.fetch(`/api/v1${path}`, { headers })
  if (response.status !== status) throw new Error(`${path} is ${response.status}, not ${status}.`)
  return response.json()
}

const answers = {}
for (const [operation, path] of Object.entries(ANSWERS)) {
  answers[operation] = await ask(path, AGENCY, 200)
}

for (let count = 0; count < 3; count += 1) await ask('/me', 'northlight-tiny', 200)

const problems = {}
for (const [problem, [path, token]] of Object.entries(PROBLEM_REQUESTS)) {
  problems[problem] = await ask(path, token, PROBLEMS[problem].status)
}

const at = { version: VERSION, baseUrl: `http://${DEFAULT_HOST}:${DEFAULT_PORT}` }
await write('openapi.json', createOpenApi({ ...at, examples: { answers, problems } }))
await write(
  'control-openapi.json',
  createControlOpenApi({ ...at, prefix: CONTROL_PREFIX, groups: CONTROL_GROUPS }),
)

async function write(name, document) {
  const file = new URL(`../dist/${name}`, import.meta.url)
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`)
}
