/**
 * A client that is right: each run fetches the content of every completed report that it does not have yet.
 */
import { forEachProject, read, readList } from './read-api.js'

/** @typedef {Map<number, unknown>} Contents The contents of reports, by the id of the report. */

export function createSync() {
  /** In memory, where yours has a folder or a database. @type {Contents} */
  let contents = new Map()

  return {
    /** One run, such as each morning. @param {import('./read-api.js').Access} access */
    run: (access) =>
      forEachProject(access, async ({ id }) => {
        const path = `/api/v1/projects/${id}/reports`
        for (const report of await readList(access, path)) {
          // A report that is regenerated keeps its number and has another id.
          if (report.status !== 'completed' || contents.has(report.id)) continue
          const content = await read(access, `${path}/${report.report_number}/content`)
          // With another id it was regenerated after the list was read: the next run gets it.
          if (content?.data.report_id === report.id) contents.set(report.id, content)
        }
      }),
    /** What it has fetched, to begin a rehearsal again before any run. */
    state: {
      save: () => new Map(contents),
      load: (/** @type {Contents} */ saved) => {
        contents = new Map(saved)
      },
    },
  }
}
