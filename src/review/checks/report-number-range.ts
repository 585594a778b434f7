import { defineCheck } from '../check.ts'

export const reportNumberRange = defineCheck({
  id: 'report-number-range',
  category: 'reports',
  severity: 'error',
  section: '4.7(1)',
  finds: 'Content was requested of a report number outside 1 to 26, such as 0 or 27',
  instead: 'Request the content of numbers that the reports list shows: they are 1 to 26.',
  exercise: 'Let the client read the content of a report.',
  sees: ['getReportContent'],
  read: ({ head: { problem }, sequence, project }, report) => {
    report.meet()
    if (problem !== 'report_number_out_of_range') return
    report.fail(
      () => `Request ${sequence} asks project ${project} for a report number outside 1 to 26.`,
    )
  },
})
