import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { memoize } from '../../src/contract/cache.ts'
import type { FixtureInput, SandboxOptions } from '../../src/index.ts'
import { openFetch } from '../support/transports.ts'
import type { Client } from '../support/transports.ts'

const FOLDER = new URL('../../fixtures/scenarios/', import.meta.url)

/** The names of all scenarios: their file names without the extension. */
export const SCENARIO_NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length))

export function readScenario(name: string): string {
  return readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8')
}

/** Parsed once: test/fixtures reads YAML, and every scenario. */
export const parseScenario = memoize((name: string) => parse(readScenario(name)) as FixtureInput)

export function openScenario(name: string, options: SandboxOptions = {}): Promise<Client> {
  return openFetch({ fixtures: parseScenario(name), ...options })
}

/** Sends the request with the agency's unlimited token. */
export async function read(client: Client, path: string): Promise<any> {
  const { status, body } = await client.send({ path, token: 'sandbox-unlimited' })
  return status === 200 ? body.data : status
}

/** The report in `latest` of a project, like `3 pending`; null if it is 404. */
export async function latestOf(client: Client, project: number): Promise<string | null> {
  return nameOf(await read(client, `/projects/${project}/reports/latest`))
}

/** The number of the report in `last-generated` of a project; null if it is 404. */
export async function lastGeneratedOf(client: Client, project: number): Promise<number | null> {
  const report = await read(client, `/projects/${project}/reports/last-generated`)
  return report === 404 ? null : report.report_number
}

function nameOf(
  report: 404 | { report_number: number; status: string; [field: string]: unknown },
): string | null {
  return report === 404 ? null : `${report.report_number} ${report.status}`
}
