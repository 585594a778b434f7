/**
 * The client under test. It waits when the API asks it to slow down; `onPause` hears for how many
 * seconds, once the timer runs. `baseUrl` includes /api/v1.
 */
export function createClient({ baseUrl, token, fetch = globalThis.fetch, onPause = () => {} }) {
  const headers = { authorization: `Bearer ${token}` }

  async function get(path) {
    const response = await fetch(`${baseUrl}${path}`, { headers })
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after'))
      const pause = new Promise((resolve) => setTimeout(resolve, seconds * 1000))
      onPause(seconds)
      await pause
      return get(path)
    }
    if (!response.ok) throw new Error(`The API answered ${response.status} to ${path}.`)
    return response.json()
  }

  return {
    /** Whom the token belongs to. */
    me: () => get('/me'),
    /** How old the data is, which the API tells by the minute. */
    refreshedAt: async () => (await get('/projects')).cache_refreshed_at,
    /** The numbers of a project's reports that are finished, the newest first. */
    finishedReports: async (project) => {
      const { data: reports } = await get(`/projects/${project}/reports`)
      return reports
        .filter(({ status }) => status === 'completed')
        .map(({ report_number }) => report_number)
    },
  }
}
