/** Downloads the content of each completed report once: `npm run sync -- OUT`. */
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

interface Project {
  id: number
  name: string
}

interface Report {
  id: number
  report_number: number
  status: string
}

class Refused extends Error {}

const { API_URL: api = '', API_TOKEN: token = '' } = process.env
const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
const out = process.argv[2] ?? 'out'
const ATTEMPTS = 6

async function get<Body>(url: string): Promise<Body> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, retryAfter } = await request(url)
    if (body !== undefined) return body as Body
    if (status === 401 || status === 403) throw new Refused(`${url}: ${status}`)
    const mayHelp = [0, 408, 429].includes(status) || status >= 500
    if (!mayHelp || attempt === ATTEMPTS) throw new Error(`${url}: ${status}`)
    await sleep(Number(retryAfter) * 1000 || 200 * 2 ** (attempt - 1) * (1 + Math.random() / 2))
  }
}

/** Status 0 stands for no response that can be read. */
async function request(url: string) {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) })
    const text = await response.text()
    const { status } = response
    const body: unknown = status === 200 ? JSON.parse(text) : undefined
    return { status, body, retryAfter: response.headers.get('Retry-After') }
  } catch {
    return { status: 0, body: undefined, retryAfter: null }
  }
}

async function listProjects(): Promise<Project[]> {
  const projects: Project[] = []
  let url: string | null = `${api}/projects`
  while (url !== null) {
    const page: { data: Project[]; links: { next: string | null } } = await get(url)
    projects.push(...page.data)
    url = page.links.next === null ? null : new URL(page.links.next, url).href
  }
  return projects
}

async function syncProject(project: number): Promise<void> {
  const url = `${api}/projects/${project}/reports`
  const { data: reports } = await get<{ data: Report[] }>(url)
  for (const { id, report_number: number, status } of reports) {
    const file = join(out, String(project), `${id}.json`)
    if (status !== 'completed' || existsSync(file)) continue
    const { data } = await get<{ data: unknown }>(`${url}/${number}/content`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(`${file}.part`, JSON.stringify(data))
    await rename(`${file}.part`, file)
  }
}

try {
  for (const { id, name } of await listProjects()) {
    try {
      await syncProject(id)
    } catch (error) {
      if (error instanceof Refused) throw error
      console.error(`${name}: ${String(error)}`)
      process.exitCode = 1
    }
  }
} catch (error) {
  console.error(`The sync has ended early: ${String(error)}`)
  process.exitCode = 1
}
