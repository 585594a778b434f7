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
  const target = urlOf(access, path)
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, retryAfter } = await request(access, target)
    if (body !== undefined) return body
    if (status === 404) return null
    const problem = `${path}: ${status === 0 ? 'no response' : status}`
    if (status === 401 || (status === 403 && (await isRefused(access)))) throw new Refused(problem)
    const mayHelp = status === 0 || status === 408 || status === 429 || status >= 500
    if (!mayHelp || attempt === ATTEMPTS) throw new Error(problem)
    // It may be rounded down, even to 0.
    await sleep(retryAfter === null ? pauseMs(attempt) : Math.max(1, Number(retryAfter)) * 1000)
  }
}

/** A 403 may concern one project alone: `/me` says whether the token itself is refused. @param {Access} access */
async function isRefused(access) {
  const { body } = await request(access, urlOf(access, '/api/v1/me'))
  return body?.status !== 'active'
}

/** Links begin with /api/v1, or are absolute. The token is for the host of the API alone. @param {Access} access @param {string} path */
function urlOf({ url }, path) {
  const target = new URL(path, url)
  if (target.origin !== new URL(url).origin) throw new Error(`${path} is on another host.`)
  return target
}

/** The status is 0 where there is no response that can be read. @param {Access} access @param {URL} target */
async function request({ fetch, token }, target) {
  try {
    const response = await fetch(target, {
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

/** A list, from all its pages; empty for a 404. @param {Access} access @param {string} path @returns {Promise<any[]>} */
export async function readList(access, path) {
  const items = []
  for (let next = path; next;) {
    const page = await read(access, next)
    items.push(...(page?.data ?? []))
    next = page?.links?.next
  }
  return items
}

/**
 * Does something for each project, and goes on with the next one after an error. Whoever starts the run has to know
 * that something is missing, so it fails at the end.
 *
 * @param {Access} access @param {(project: { id: number }) => Promise<void>} sync
 */
export async function forEachProject(access, sync) {
  const problems = []
  // Of every status: a project that is no longer active still has its reports.
  for (const project of await readList(access, '/api/v1/projects')) {
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
