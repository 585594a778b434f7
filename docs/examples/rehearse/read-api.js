/** The token is refused: no other request would help, and a person has to know. */
export class Refused extends Error {}

/**
 * What the clients need to read the API.
 *
 * @typedef {Pick<import('seo-sandbox/rehearse').ClientContext, 'url' | 'fetch' | 'token'>} Access
 */

const ATTEMPTS = 6
const FIRST_PAUSE_MS = 500
const TIMEOUT_MS = 30_000

/**
 * Reads a path of the API, as a right client does: what may help, it tries again.
 *
 * @param {Access} access @param {string} path @returns {Promise<any>} Null for a 404.
 */
export async function read(access, path) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, retryAfter } = await request(access, path)
    if (body !== undefined) return body
    if (status === 404) return null
    const problem = `${path}: ${status === 0 ? 'no response' : status}`
    if (status === 401 || status === 403) throw new Refused(problem)
    const mayHelp = status === 0 || status === 429 || status >= 500
    if (!mayHelp || attempt === ATTEMPTS) throw new Error(problem)
    await sleep(retryAfter === null ? pauseMs(attempt) : Number(retryAfter) * 1000)
  }
}

/** The status is 0 where there is no response that can be read. @param {Access} access @param {string} path */
async function request({ url, fetch, token }, path) {
  try {
    // Links begin with /api/v1: they are resolved against the host.
    const response = await fetch(new URL(path, url), {
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    const text = await response.text()
    const retryAfter = response.headers.get('Retry-After')
    return { status, body: status === 200 ? JSON.parse(text) : undefined, retryAfter }
  } catch {
    return { status: 0, body: undefined, retryAfter: null }
  }
}

/** Half a second, then twice as long each time, and at random up to a half more. @param {number} attempt */
function pauseMs(attempt) {
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2)
}

/** The active projects, from all pages. @param {Access} access */
export async function listProjects(access) {
  const projects = []
  for (let next = '/api/v1/projects?status=active'; next !== null;) {
    const page = await read(access, next)
    projects.push(...page.data)
    next = page.links.next
  }
  return projects
}

/**
 * Does something for each active project, and goes on with the next one after an error. Whoever starts the run has to know
 * that something is missing, so it fails at the end.
 *
 * @param {Access} access @param {(project: { id: number }) => Promise<void>} sync
 */
export async function forEachProject(access, sync) {
  const problems = []
  for (const project of await listProjects(access)) {
    try {
      await sync(project)
    } catch (error) {
      if (error instanceof Refused) throw error
      problems.push(String(error))
    }
  }
  if (problems.length > 0) throw new Error(`Not complete: ${problems.join('; ')}`)
}

/** @param {number} ms */
function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
