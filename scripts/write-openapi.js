import { readFile, writeFile } from 'node:fs/promises'
import { OPERATIONS } from '../build/contract/operations.js'
import { PROBLEMS } from '../build/contract/problems.js'
import { createSandbox, VERSION } from '../build/index.js'
import { DEFAULT_HOST, DEFAULT_PORT } from '../build/server/server-options.js'
import { importBundled } from './import-bundled.js'

/**
 * Writes build/openapi.json from the contract, with example responses of the sandbox over the example world,
 * build/postman.json from that, with saved examples of the default world, and build/control-openapi.json from the routes of
 * the control API.
 */

const AGENCY = 'northlight-live'

/**
 * The path and token of the example request for each problem.
 *
 * @satisfies {Record<import('../build/contract/routes.js').DocumentedProblem, [path: string, token: string]>}
 */
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

/**
 * The token of Postman's requests, and the values of the parameters of their paths, in the default world.
 */
const POSTMAN_TOKEN = 'sandbox-agency'
/** @satisfies {Record<import('../build/contract/routes.js').PathParameter, number>} */
const POSTMAN_VALUES = { country: 45, language: 1, user: 11, project: 101, report_number: 1 }

const fixtures = await readFile(
  new URL('../fixtures/examples/agency.yaml', import.meta.url),
  'utf8',
)
const sandbox = await createSandbox({ fixtures })

/**
 * Sends a request, whose response must have that status.
 *
 * @param {string} path
 * @param {string} token
 * @param {number} status
 */
async function send(path, token, status, world = sandbox) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await world.fetch(`/api/v1${path}`, { headers })
  if (response.status !== status) throw new Error(`${path} is ${response.status}, not ${status}.`)
  return response
}

/**
 * Sends a request, and returns the body of its response.
 *
 * @param {Parameters<typeof send>} request
 * @returns {Promise<unknown>}
 */
async function ask(...request) {
  return (await send(...request)).json()
}

/** @type {Record<string, unknown>} */
const responses = {}
for (const [operation, { example }] of Object.entries(OPERATIONS)) {
  responses[operation] = await ask(example, AGENCY, 200)
}

for (let count = 0; count < 3; count += 1) await ask('/me', 'northlight-tiny', 200)

/** @type {Record<string, unknown>} */
const problems = {}
for (const [problem, [path, token]] of Object.entries(PROBLEM_REQUESTS)) {
  const { status } = PROBLEMS[/** @type {keyof typeof PROBLEM_REQUESTS} */ (problem)]
  problems[problem] = await ask(path, token, status)
}

await sandbox.faults.set([{ kind: 'status', status: 503 }])
problems['service_unavailable'] = await ask('/me', AGENCY, 503)
await sandbox.faults.set([{ kind: 'html', status: 502 }])
const htmlPage = await (await send('/me', AGENCY, 502)).text()

const defaultWorld = await createSandbox({ now: '2026-03-15T12:00:00Z', frozen: true })
/** @type {Record<string, { headers: Record<string, string>, body: unknown }>} */
const saved = {}
for (const [operation, { path }] of Object.entries(OPERATIONS)) {
  const values = /** @type {Record<string, number>} */ (POSTMAN_VALUES)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]))
  const response = await send(filled, POSTMAN_TOKEN, 200, defaultWorld)
  const headers = [...response.headers].filter(([name]) => /^(content-type|x-)/.test(name))
  saved[operation] = { headers: Object.fromEntries(headers), body: await response.json() }
}

const at = { version: VERSION, baseUrl: `http://${DEFAULT_HOST}:${DEFAULT_PORT}` }
const { createOpenApi } = await importBundled('scripts/openapi/create-openapi.ts')
const { createControlOpenApi } = await importBundled('scripts/openapi/create-control-openapi.ts')
const { createPostman } = await importBundled('scripts/openapi/create-postman.ts')
const api = createOpenApi({ ...at, examples: { responses, problems, htmlPage } })
await write('openapi.json', api)
const examples = { token: POSTMAN_TOKEN, values: POSTMAN_VALUES, responses: saved }
await write('postman.json', createPostman(api, examples))
await write('control-openapi.json', createControlOpenApi(at))

/**
 * @param {string} name
 * @param {object} document
 */
async function write(name, document) {
  const file = new URL(`../build/${name}`, import.meta.url)
  await writeFile(file, JSON.stringify(document))
}
