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

interface Content {
  data: { report_id: number }
}

interface List<Item> {
  data: Item[]
  /** Where there are pages. */
  links?: { next: string | null }
}

/** The token is refused: no other request would help, and a person has to know. */
class Refused extends Error {}

const { SEO_SANDBOX_URL: url = '', SEO_SANDBOX_TOKEN: token = '' } = process.env
const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
const folder = process.argv[2] ?? 'reports'

const ATTEMPTS = 6
const FIRST_PAUSE_MS = 500
const TIMEOUT_MS = 30_000

/** Reads a path of the API. What may help, it tries again: a 408, 429 or 5xx, a lost connection, a body that is no JSON. */
async function get<Body>(path: string): Promise<Body> {
  const target = urlOf(path)
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, problem, retryAfter } = await request(target)
    if (body !== undefined) return body as Body
    if (status === 401 || (status === 403 && (await isRefused()))) throw new Refused(problem)
    const mayHelp = status === 0 || status === 408 || status === 429 || status >= 500
    if (!mayHelp || attempt === ATTEMPTS) throw new Error(problem)
    // It may be rounded down, even to 0.
    await sleep(retryAfter === null ? pauseMs(attempt) : Math.max(1, Number(retryAfter)) * 1000)
  }
}

/** A 403 may concern one project alone: `/me` says whether the token itself is refused. */
async function isRefused(): Promise<boolean> {
  const { body } = await request(urlOf('/api/v1/me'))
  return (body as { status?: string } | undefined)?.status !== 'active'
}

/** Links begin with /api/v1, or are absolute. The token is for the host of the API alone. */
function urlOf(path: string): URL {
  const target = new URL(path, url)
  if (target.origin !== new URL(url).origin) throw new Error(`${path} is on another host.`)
  return target
}

interface Answer {
  /** 0 where there is no response that can be read. */
  status: number
  body?: unknown
  problem: string
  retryAfter: string | null
}

async function request(target: URL): Promise<Answer> {
  const { pathname: path } = target
  try {
    const response = await fetch(target, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
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

/** A list, from all its pages. */
async function list<Item>(path: string): Promise<Item[]> {
  const items: Item[] = []
  let next: string | null | undefined = path
  while (next) {
    const page: List<Item> = await get(next)
    items.push(...page.data)
    next = page.links?.next
  }
  return items
}

/** Downloads what is completed of a project and not in the folder yet. */
async function syncProject({ id }: Project): Promise<void> {
  const path = `/api/v1/projects/${id}/reports`
  for (const report of await list<Report>(path)) {
    // A report that is regenerated has another id.
    const file = join(folder, `${id}-${report.id}.json`)
    if (report.status !== 'completed' || existsSync(file)) continue
    const content = await get<Content>(`${path}/${report.report_number}/content`)
    // With another id it was regenerated after the list was read: the next run gets it.
    if (content.data.report_id === report.id) await save(file, content)
  }
}

/** Writes a file as a whole: half of one would look as if it was downloaded. */
async function save(file: string, content: object): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(content))
  await rename(`${file}.part`, file)
}

try {
  await mkdir(folder, { recursive: true })
  await save(join(folder, 'users.json'), await list('/api/v1/users'))
  // Of every status: a project that is no longer active still has its reports.
  for (const project of await list<Project>('/api/v1/projects')) {
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
