import { LAST_REPORT_NUMBER } from '../contract/limits.ts'
import type { ReportRecord } from '../contract/report.ts'
import { withOwnContent } from '../records/own-content.ts'
import type { Records } from '../records/records.ts'

/**
 * Renumbers the generated reports whose numbers stored reports have, as releases up to version 2 of the snapshot
 * let it happen: the stored one keeps its number, and the generated one gets the next free one, or is dropped where
 * none is left. From then on it is stored too.
 *
 * @param atMs The time of the world clock in epoch milliseconds.
 * @returns A sentence for each.
 */
export function repairNumbers(records: Records, atMs: number): string[] {
  const { indexes } = records
  const projects = new Set(indexes.allHeld('reports').map(({ project }) => project))
  return [...projects].flatMap((project) =>
    indexes.hiddenReportsOf(project, atMs).map((report) => {
      const { id, report_number: before } = report
      const reports = indexes.reportsOf(project, atMs)
      const holder = reports.find(({ report_number }) => report_number === before)
      const why = `because number ${before} is that of report ${holder?.id}`
      const number = nextFree(before, reports)
      if (number === undefined) {
        records.delete('reports', report)
        return `Report ${id} of project ${project} was dropped, ${why}, and no later number is free.`
      }
      records.put('reports', { ...withOwnContent(report, indexes), report_number: number })
      return `Report ${id} of project ${project} has number ${number} now, ${why}.`
    }),
  )
}

function nextFree(after: number, reports: readonly ReportRecord[]): number | undefined {
  const taken = new Set(reports.map(({ report_number }) => report_number))
  for (let number = after + 1; number <= LAST_REPORT_NUMBER; number += 1) {
    if (!taken.has(number)) return number
  }
  return undefined
}
