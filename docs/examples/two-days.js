/**
 * Two days of a sync, with what can go wrong: `seo-sandbox exec --review -- node two-days.js COMMAND…`. It runs the command with a token that
 * is refused, then while the API fails now and then, and once more a day later, when more reports are completed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'

const control = process.env['SEO_SANDBOX_CONTROL_URL'] ?? ''
const [program = '', ...args] = process.argv.slice(2)

const CONTENT = 'GET /projects/{project}/reports/{report_number}/content'
const FAULTS = [
  { kind: 'html', status: 502, endpoint: 'GET /users', schedule: { first: 1 } },
  {
    kind: 'status',
    status: 429,
    retry_after: 2,
    endpoint: 'GET /projects',
    schedule: { first: 1 },
  },
  {
    kind: 'status',
    status: 503,
    endpoint: 'GET /projects/{project}/reports',
    schedule: { first: 2 },
  },
  { kind: 'truncated-body', endpoint: CONTENT, schedule: { nth: 2 } },
  { kind: 'malformed-json', endpoint: CONTENT, schedule: { nth: 5 } },
  { kind: 'reset', endpoint: CONTENT, schedule: { nth: 8 } },
]

/** Sends a request to the control API. @param {string} path @param {RequestInit} init */
async function send(path, init) {
  const response = await fetch(control + path, init)
  if (!response.ok) throw new Error(await response.text())
}

/** Runs the client to its end. @param {Record<string, string>} [env] */
async function sync(env) {
  const client = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  const [code] = await once(client, 'exit')
  return code
}

if ((await sync({ SEO_SANDBOX_TOKEN: 'revoked' })) === 0) {
  throw new Error('The client exits with 0 though its token is refused.')
}
await send('/faults', { method: 'PUT', body: JSON.stringify(FAULTS) })
const first = await sync()
await send('/clock', { method: 'POST', body: JSON.stringify({ advance: 'P1D' }) })
process.exitCode = (await sync()) || first
