/**
 * A client with four mistakes that only time shows, each marked with the check that finds it.
 */
const ATTEMPTS = 6
const DAY_MS = 24 * 60 * 60 * 1000

/** @typedef {{ contents: Map<string, unknown>, lockedUntilMs: number }} State */

export function createSync() {
  /** @type {State} */
  let state = { contents: new Map(), lockedUntilMs: 0 }

  /** One run, such as each morning. @param {import('./read-api.js').Access} access */
  async function run(access) {
    if (Date.now() < state.lockedUntilMs) throw new Error('Another run is under way.')
    state.lockedUntilMs = Date.now() + 3 * DAY_MS
    await syncAll(access)
    // recovery: the lock of a run that fails stays, and so the next ones fail too.
    state.lockedUntilMs = 0
  }

  /** @param {import('./read-api.js').Access} access */
  async function syncAll(access) {
    for (let next = '/api/v1/projects?status=active'; next !== null;) {
      const page = await read(access, next)
      for (const { id } of page.data) {
        // silent-failure: what fails here is missing, and nobody is told.
        await syncProject(access, id).catch(() => {})
      }
      next = page.links.next
    }
  }

  /** @param {import('./read-api.js').Access} access @param {number} id */
  async function syncProject(access, id) {
    const path = `/api/v1/projects/${id}/reports`
    for (const { report_number: number, status } of (await read(access, path)).data) {
      // undelivered: a report that is regenerated has the same number, and is not fetched again.
      const key = `${id}-${number}`
      if (status !== 'completed' || state.contents.has(key)) continue
      state.contents.set(key, await read(access, `${path}/${number}/content`))
    }
  }

  return {
    run,
    state: {
      save: () => ({ ...state, contents: new Map(state.contents) }),
      load: (/** @type {State} */ saved) => {
        state = { ...saved, contents: new Map(saved.contents) }
      },
    },
  }
}

/** Reads a path of the API. @param {import('./read-api.js').Access} access @param {string} path @returns {Promise<any>} */
async function read({ url, fetch, token }, path) {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
  for (let attempt = 1; ; attempt += 1) {
    let retryAfter = null
    let problem
    try {
      // endless-run: without a time limit it waits for ever where no response comes.
      const response = await fetch(new URL(path, url), { headers })
      if (response.ok) return await response.json()
      problem = String(response.status)
      retryAfter = response.headers.get('Retry-After')
    } catch (error) {
      problem = String(error)
    }
    if (attempt === ATTEMPTS || /^4(?!29)/.test(problem)) throw new Error(`${path}: ${problem}`)
    await sleep(retryAfter === null ? 500 * 2 ** attempt : Number(retryAfter) * 1000)
  }
}

/** @param {number} ms */
function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
