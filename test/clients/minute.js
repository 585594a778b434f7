/**
 * Runs a command against an API that is in trouble for some seconds: `seo-sandbox exec --review -- node minute.js COMMAND…`.
 * The command is given the projects to read as further arguments. Prints the requests sent, as JSON.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'

const control = process.env['SEO_SANDBOX_CONTROL_URL']
const [program = '', ...args] = process.argv.slice(2)

/** Faults of the first requests for each project. */
const FAULTS = [
  { project: 101, kind: 'status', status: 429, retry_after: 2, schedule: { first: 1 } },
  { project: 102, kind: 'status', status: 503, retry_after: 3, schedule: { first: 1 } },
  {
    project: 107,
    kind: 'status',
    status: 503,
    retry_after: { date_in: 4 },
    schedule: { first: 1 },
  },
  { project: 103, kind: 'status', status: 503, schedule: { first: 2 } },
  { project: 104, kind: 'malformed-json', schedule: { first: 1 } },
  { project: 105, kind: 'truncated-body', schedule: { first: 1 } },
  { project: 106, kind: 'reset', schedule: { first: 1 } },
]

const armed = await fetch(`${control}/faults`, { method: 'PUT', body: JSON.stringify(FAULTS) })
if (!armed.ok) throw new Error(await armed.text())
const projects = FAULTS.map(({ project }) => String(project))
const client = spawn(program, [...args, ...projects], { stdio: ['ignore', 'ignore', 'inherit'] })
const [code] = await once(client, 'exit')
process.stdout.write(await (await fetch(`${control}/requests`)).text())
process.exitCode = code
