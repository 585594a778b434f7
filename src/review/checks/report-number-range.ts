import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import { parsePlainDecimal } from '../../engine/parameters.ts'
import { defineCheck } from '../check.ts'
import type { ReviewedRequest } from '../reviewed-request.ts'

export const reportNumberRange = defineCheck({
  id: 'report-number-range',
  category: 'reports',
  severity: 'error',
  section: '4.7(1)',
  finds: 'requested the content of a report number outside 1 to 26',
  instead: 'Request the content of report numbers from the reports list, which are 1 to 26.',
  exercise: 'Let the client read the content of a report.',
  sees: ['getReportContent'],
  read: (request, report) => {
    const { head, sequence, project } = request
    report.meet()
    // The response of a fault does not depend on the number, so the path decides.
    const isFaulty = head.faults.length > 0 && hasWrongNumber(request)
    if (head.problem !== 'report_number_out_of_range' && !isFaulty) return
    report.fail(
      () => `Request ${sequence} asks project ${project} for a report number outside 1 to 26.`,
    )
  },
})

const NUMBER = /(?<=\/reports\/)[^/]+(?=\/content)/

/** True for a request for content whose report number is an integer outside 1 to 26. */
export function hasWrongNumber({ operation, path }: Readonly<ReviewedRequest>): boolean {
  if (operation !== 'getReportContent') return false
  const number = parsePlainDecimal(NUMBER.exec(path)?.[0] ?? '')
  return number !== undefined && (number < 1 || number > LAST_REPORT_NUMBER)
}
