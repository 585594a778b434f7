/**
 * A client that watches `report_number` of `last-generated` advance, as section 4.6 of the specification advises. So it
 * misses each report that is completed after a newer one of its project, and each that is regenerated: `undelivered`.
 */
import { forEachProject, read, readList } from './read-api.js'

/** @typedef {Map<number, number>} Newest The highest number of a report that was fetched, by the id of the project. */

export function createSync() {
  /** @type {Newest} */
  let newest = new Map()

  return {
    /** One run, such as each morning. @param {import('./read-api.js').Access} access */
    run: (access) =>
      forEachProject(access, async ({ id }) => {
        const path = `/api/v1/projects/${id}/reports`
        const known = newest.get(id) ?? 0
        const last = await read(access, `${path}/last-generated`)
        // A 404: no report of the project is completed.
        if (last === null || last.data.report_number <= known) return
        let highest = last.data.report_number
        for (const report of await readList(access, path)) {
          // undelivered: one with a lower number may be completed later, or again.
          if (report.status !== 'completed' || report.report_number <= known) continue
          await read(access, `${path}/${report.report_number}/content`)
          highest = Math.max(highest, report.report_number)
        }
        newest.set(id, highest)
      }),
    state: {
      save: () => new Map(newest),
      load: (/** @type {Newest} */ saved) => {
        newest = new Map(saved)
      },
    },
  }
}
