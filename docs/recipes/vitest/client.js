/**
 * The client under test. After a 429 it waits as long as Retry-After says; `onPause` is called with
 * the seconds once the timer is set. `baseUrl` includes /api/v1.
 */
export function createClient({ baseUrl, token, fetch = globalThis.fetch, onPause = () => {} }) {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }

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
    /** The identity of the token. */
    me: () => get('/me'),
    /** When the data was refreshed, to the minute. */
    refreshedAt: async () => (await get('/projects')).cache_refreshed_at,
    /** The numbers of the finished reports of a project, newest first. */
    finishedReports: async (project) => {
      const { data: reports } = await get(`/projects/${project}/reports`)
      return reports
        .filter(({ status }) => status === 'completed')
        .map(({ report_number }) => report_number)
    },
  }
}
