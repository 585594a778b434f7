import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const ATTEMPTS = 6
const FIRST_PAUSE_MS = 500

/** The token is not accepted. */
export class Refused extends Error {}

/**
 * Downloads each completed report of the agency once, to `folder/<project id>-<report id>.json`. `url` ends in /api/v1. `fetch` and `sleep`, which takes
 * milliseconds, may be replaced. Resolves with `downloaded`, the names of the new files, and with `complete`, whether everything that is finished is in
 * the folder; what is missing is in `problems`, and the next run gets it.
 */
export async function sync({ url, token, folder, fetch = globalThis.fetch, sleep = wait }) {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
  const downloaded = []
  const problems = []
  let complete = true

  async function get(address) {
    for (let attempt = 1; ; attempt += 1) {
      const { status, body, retryAfter } = await request(address)
      if (body !== undefined) return body
      if (status === 401 || status === 403) throw new Refused(`${address}: ${status}`)
      const mayHelp = status === 0 || status === 429 || status >= 500
      if (!mayHelp || attempt === ATTEMPTS) throw new Error(`${address}: ${status}`)
      const pauseMs = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2)
      await sleep(retryAfter === null ? pauseMs : Number(retryAfter) * 1000)
    }
  }

  /** Status 0 stands for no response that can be read. */
  async function request(address) {
    try {
      const response = await fetch(address, { headers, signal: AbortSignal.timeout(30_000) })
      const text = await response.text()
      const { status } = response
      if (status === 200) return { status, body: JSON.parse(text) }
      return { status, retryAfter: response.headers.get('Retry-After') }
    } catch {
      return { status: 0, retryAfter: null }
    }
  }

  async function listProjects() {
    const projects = []
    let address = `${url}/projects`
    while (address !== null) {
      const { data, links } = await get(address)
      projects.push(...data)
      address = links.next === null ? null : new URL(links.next, url).href
    }
    return projects
  }

  async function syncProject({ id }) {
    const address = `${url}/projects/${id}/reports`
    const { data: reports } = await get(address)
    for (const report of reports) {
      const name = `${id}-${report.id}.json`
      if (report.status !== 'completed') continue
      if (existsSync(join(folder, name))) continue
      const { data } = await get(`${address}/${report.report_number}/content`)
      await save(join(folder, name), data)
      downloaded.push(name)
    }
  }

  await mkdir(folder, { recursive: true })
  for (const project of await listProjects()) {
    try {
      await syncProject(project)
    } catch (error) {
      if (error instanceof Refused) throw error
      problems.push(`${project.name}: ${error.message}`)
      complete = false
    }
  }
  return { complete, downloaded, problems }
}

/** Writes a file as a whole: half of one would look as if it was downloaded. */
async function save(file, content) {
  await writeFile(`${file}.part`, JSON.stringify(content))
  await rename(`${file}.part`, file)
}
