import { defineCheck } from '../check.ts'

export const unfinishedContent = defineCheck({
  id: 'unfinished-content',
  category: 'reports',
  severity: 'error',
  section: '4.5',
  finds: 'read the content of a report that it had never seen completed',
  instead: 'Read the content of a report once its `status` is `completed` in the reports list.',
  exercise: 'Let the client read the content of a report.',
  sees: ['getReportContent'],
  read: ({ isRead, shown, isSeenCompleted, sequence, project }, report) => {
    if (!isRead) return
    report.meet()
    const [content] = shown?.reports ?? []
    if (!content || content.status === 'completed' || isSeenCompleted) return
    report.fail(
      () =>
        `Request ${sequence} reads the content of report ${content.report_number} of project ${project}, which is ${content.status} and was never seen completed.`,
    )
  },
})
