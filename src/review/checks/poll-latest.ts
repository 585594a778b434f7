import { defineCheck, remember } from '../check.ts'

/** The reads of `latest`, by project, that showed the same unfinished report. */
type Polls = Map<number, { report: number; requests: number[] }>

/** This many reads of `latest` are polling. */
const POLLS = 3

export const pollLatest = defineCheck({
  id: 'poll-latest',
  category: 'reports',
  severity: 'warning',
  section: '2.4(4)',
  finds:
    '`latest` was read three times or more while it showed the same unfinished report, with nothing else new in between',
  instead:
    'Watch the reports list, or `last-generated`, to learn that a report is completed: `latest` may show another report by then.',
  sees: 'all',
  start: () => new Map<string, Polls>(),
  read: ({ operation, isRead, caller, project, shown, before, sequence }, report, byCaller) => {
    if (!isRead) return
    if (operation === 'getLatestReport') {
      if (before) report.meet()
      const polls = byCaller.get(caller) ?? new Map()
      remember(byCaller, caller, polls)
      const [selected] = shown?.reports ?? []
      const poll = polls.get(project!)
      poll?.requests.push(sequence)
      if (poll?.requests.length === POLLS) {
        report.fail(
          () =>
            `Requests ${poll.requests.join(', ')} read latest of project ${project} to see whether its report is completed.`,
          poll.requests,
        )
      }
      if (!selected || selected.status === 'completed') polls.delete(project!)
      else if (poll?.report === selected.id) poll.requests.splice(POLLS)
      else remember(polls, project!, { report: selected.id, requests: [sequence] })
    } else if (operation === 'listReports' || operation === 'getLastGeneratedReport') {
      if (before) report.meet()
      byCaller.get(caller)?.delete(project!)
    } else if (!before) {
      // A URL that is new to the caller.
      byCaller.get(caller)?.clear()
    }
  },
})
