import { readdirSync, readFileSync } from 'node:fs'
import type { SandboxOptions } from '../../src/index.ts'
import { openFetch } from '../support/transports.ts'
import type { Client } from '../support/transports.ts'

const FOLDER = new URL('../../fixtures/scenarios/', import.meta.url)

/** The names of all scenarios: their files', without the extension. */
export const SCENARIO_NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length))

export function readScenario(name: string): string {
  return readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8')
}

export function openScenario(name: string, options: SandboxOptions = {}): Promise<Client> {
  return openFetch({ fixtures: readScenario(name), ...options })
}

/** Asks as the agency's token without limits. */
export async function read(client: Client, path: string): Promise<any> {
  const { status, body } = await client.send({ path, token: 'sandbox-unlimited' })
  return status === 200 ? body.data : status
}

/** What `latest` of a project shows, like `3 pending`; null where it is 404. */
export async function latestOf(client: Client, project: number): Promise<string | null> {
  return nameOf(await read(client, `/projects/${project}/reports/latest`))
}

/** The number of the report that `last-generated` of a project shows; null where it is 404. */
export async function lastGeneratedOf(client: Client, project: number): Promise<number | null> {
  const report = await read(client, `/projects/${project}/reports/last-generated`)
  return report === 404 ? null : report.report_number
}

/** `latest` of several projects. */
export function latestOfAll(
  client: Client,
  projects: readonly number[],
): Promise<(string | null)[]> {
  return Promise.all(projects.map((project) => latestOf(client, project)))
}

/** The reports of a project as the list shows them, each like `3 pending`. */
export async function reportsOf(client: Client, project: number): Promise<(string | null)[]> {
  return (await read(client, `/projects/${project}/reports`)).map(nameOf)
}

function nameOf(
  report: 404 | { report_number: number; status: string; [field: string]: unknown },
): string | null {
  return report === 404 ? null : `${report.report_number} ${report.status}`
}

/** Lets the calendar go on to the first day of the next month. */
export async function turnMonth({ sandbox }: Client): Promise<void> {
  await sandbox.clock.set('month+1/01')
}
