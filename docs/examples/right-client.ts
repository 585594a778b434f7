/**
 * Downloads the content of every completed report of an agency, each once: `node right-client.ts [FOLDER]`. Run it as often as you like, such as once
 * a day: a report that is already in the folder is not requested again. It exits with 1 if something is missing, which the next run gets.
 */
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

interface List<Item> {
  data: Item[]
}

interface Page<Item> extends List<Item> {
  links: { next: string | null }
}

/** The token is refused: no other request would help, and a person has to know. */
class Refused extends Error {}

const { SEO_SANDBOX_URL: url = '', SEO_SANDBOX_TOKEN: token = '' } = process.env
const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
const folder = process.argv[2] ?? 'reports'

const ATTEMPTS = 6
const FIRST_PAUSE_MS = 500
const TIMEOUT_MS = 30_000

/** Reads a path of the API. What may help, it tries again: a 429, a 5xx, a lost connection, a body that is no JSON. */
async function get<Body>(path: string): Promise<Body> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, problem, retryAfter } = await request(path)
    if (body !== undefined) return body as Body
    if (status === 401 || status === 403) throw new Refused(problem)
    const mayHelp = status === 0 || status === 429 || status >= 500
    if (!mayHelp || attempt === ATTEMPTS) throw new Error(problem)
    await sleep(retryAfter === null ? pauseMs(attempt) : Number(retryAfter) * 1000)
  }
}

interface Answer {
  /** 0 where there is no response that can be read. */
  status: number
  body?: unknown
  problem: string
  retryAfter: string | null
}

async function request(path: string): Promise<Answer> {
  try {
    // Links begin with /api/v1: they are resolved against the host.
    const response = await fetch(new URL(path, url), {
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    const text = await response.text()
    const retryAfter = response.headers.get('Retry-After')
    const answer = { status, problem: `${path}: ${status}`, retryAfter }
    return status === 200 ? { ...answer, body: JSON.parse(text) } : answer
  } catch (error) {
    return { status: 0, problem: `${path}: ${String(error)}`, retryAfter: null }
  }
}

/** Half a second, then twice as long each time, and at random up to a half more, so that clients don't come all at once. */
function pauseMs(attempt: number): number {
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2)
}

async function listProjects(): Promise<Project[]> {
  const projects: Project[] = []
  let next: string | null = '/api/v1/projects?status=active'
  while (next !== null) {
    const page: Page<Project> = await get(next)
    projects.push(...page.data)
    next = page.links.next
  }
  return projects
}

/** Downloads what is completed of a project and not in the folder yet. */
async function syncProject({ id }: Project): Promise<void> {
  const path = `/api/v1/projects/${id}/reports`
  const { data: reports } = await get<List<Report>>(path)
  for (const report of reports) {
    // A report that is regenerated has another id.
    const file = join(folder, `${id}-${report.id}.json`)
    if (report.status !== 'completed' || existsSync(file)) continue
    await save(file, await get(`${path}/${report.report_number}/content`))
  }
}

/** Writes a file as a whole: half of one would look as if it was downloaded. */
async function save(file: string, content: object): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(content))
  await rename(`${file}.part`, file)
}

try {
  await mkdir(folder, { recursive: true })
  await save(join(folder, 'users.json'), await get('/api/v1/users'))
  for (const project of await listProjects()) {
    try {
      await syncProject(project)
    } catch (error) {
      if (error instanceof Refused) throw error
      console.error(`${project.name} is not complete: ${String(error)}`)
      process.exitCode = 1
    }
  }
} catch (error) {
  console.error(`The sync has ended early: ${String(error)}`)
  process.exitCode = 1
}
