import type { RehearsedClient, ClientContext } from '../../src/rehearse.ts'

export interface Project {
  id: number
  latest_report_generated_at: string | null
}

export interface Report {
  id: number
  project_id: number
  report_number: number
  status: string
  date_to_create_texts: string | null
  sent: boolean
  approved_status: string | null
}

export interface ProjectPage {
  data: Project[]
  links: { next: string | null }
}

/** The result of a request: `status` 0 if no response arrived whole, no `body` unless it is that of a 200. */
interface Attempt {
  status: number
  body?: unknown
  retryAfter: string | null
}

/** A run of a client. */
export interface Sync {
  context: ClientContext
  parts: ClientParts
  /** The contents that the client has, by `keyOf`. */
  reports: Map<string, unknown>
  /** Reads the body of a 200. @throws ApiError if there is none after all attempts. */
  get: <Body>(path: string) => Promise<Body>
}

/** The parts of a client, each of which may be replaced by a wrong one. */
export interface ClientParts {
  run: (sync: Sync) => Promise<void>
  listProjects: (sync: Sync) => Promise<Project[]>
  syncProject: (sync: Sync, project: Project) => Promise<void>
  listReports: (sync: Sync, project: Project) => Promise<Report[]>
  isWanted: (report: Report, sync: Sync) => boolean
  keyOf: (report: Report) => string
  fetchContent: (sync: Sync, report: Report) => Promise<void>
  /** Sends a request once. */
  request: (sync: Sync, path: string) => Promise<Attempt>
  readBody: (text: string) => unknown
  /** Returns the time limit of a request; null for none. */
  timeLimit: () => AbortSignal | null
  isWorthAnother: (attempt: Attempt, count: number) => boolean
  pauseMs: (attempt: Attempt, count: number) => number
  /** Called if a project could not be read. @throws an error that ends the run */
  onProjectFailed: (error: unknown) => void
}

export class ApiError extends Error {
  readonly status: number

  constructor(path: string, status: number) {
    super(`${path}: ${status}`)
    this.status = status
  }
}

export const RIGHT: ClientParts = {
  async run(sync) {
    const { parts } = sync
    let missing = 0
    for (const project of await parts.listProjects(sync)) {
      try {
        await parts.syncProject(sync, project)
      } catch (error) {
        parts.onProjectFailed(error)
        missing += 1
      }
    }
    if (missing > 0) throw new Error(`${missing} projects are not complete.`)
  },

  async listProjects({ get }) {
    const projects: Project[] = []
    for (let next: string | null = '/api/v1/projects?status=active'; next !== null;) {
      const page: ProjectPage = await get(next)
      projects.push(...page.data)
      next = page.links.next
    }
    return projects
  },

  async syncProject(sync, project) {
    const { parts, reports } = sync
    for (const report of await parts.listReports(sync, project)) {
      if (parts.isWanted(report, sync) && !reports.has(parts.keyOf(report)))
        await parts.fetchContent(sync, report)
    }
  },

  async listReports({ get }, { id }) {
    const { data } = await get<{ data: Report[] }>(`/api/v1/projects/${id}/reports`)
    return data
  },

  isWanted: ({ status }) => status === 'completed',

  keyOf: ({ project_id, id }) => `${project_id}-${id}`,

  async fetchContent({ get, parts, reports }, report) {
    reports.set(parts.keyOf(report), await get(contentPath(report)))
  },

  async request({ context: { url, fetch, token }, parts }, path) {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
    try {
      const response = await fetch(new URL(path, url), { headers, signal: parts.timeLimit() })
      const { status } = response
      const text = await response.text()
      const retryAfter = response.headers.get('Retry-After')
      return { status, retryAfter, ...(status === 200 && { body: parts.readBody(text) }) }
    } catch {
      return { status: 0, retryAfter: null }
    }
  },

  readBody: (text) => JSON.parse(text),

  timeLimit: () => AbortSignal.timeout(30_000),

  isWorthAnother: ({ status }, count) =>
    count < 6 && (status === 0 || status === 429 || status >= 500),

  pauseMs: ({ retryAfter }, count) =>
    retryAfter === null
      ? 500 * 2 ** (count - 1) * (1 + Math.random() / 2)
      : Number(retryAfter) * 1000,

  onProjectFailed(error) {
    if (isRefusal(error)) throw error
  },
}

/**
 * Creates a client that is right except for the given parts. Its state is that of a process that goes on: the reports it has
 * fetched.
 */
export function createRightClient({
  reports = new Map(),
  ...others
}: Partial<ClientParts> & Partial<Pick<Sync, 'reports'>> = {}): {
  reports: Sync['reports']
  run: RehearsedClient
} {
  const parts = { ...RIGHT, ...others }
  return {
    reports,
    async run(context) {
      const sync: Sync = { context, parts, reports, get: (path) => getBody(sync, path) }
      await parts.run(sync)
    },
  }
}

export function contentPath({ project_id, report_number }: Report): string {
  return `/api/v1/projects/${project_id}/reports/${report_number}/content`
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.status : undefined
}

/** True if only a person can help. */
function isRefusal(error: unknown): boolean {
  return statusOf(error) === 401 || statusOf(error) === 403
}

async function getBody<Body>(sync: Sync, path: string): Promise<Body> {
  const { parts } = sync
  for (let count = 1; ; count += 1) {
    const attempt = await parts.request(sync, path)
    if (attempt.body !== undefined) return attempt.body as Body
    if (!parts.isWorthAnother(attempt, count)) throw new ApiError(path, attempt.status)
    await new Promise((resolve) => setTimeout(resolve, parts.pauseMs(attempt, count)))
  }
}
