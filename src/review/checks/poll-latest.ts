import { defineCheck, remember } from '../check.ts'

/** What a caller asks again and again. */
interface Run {
  /** What it asks besides `latest`. */
  urls: Map<string, true>
  /** The reads of `latest`, by project, that showed the same unfinished report. */
  polls: Map<number, { report: number; requests: number[] }>
}

/** So many reads of `latest` are polling. */
const POLLS = 3
/** A run of more URLs is one of new ones. */
const MAXIMUM_URLS = 100
const MAXIMUM_POLLS = 1000

export const pollLatest = defineCheck({
  id: 'poll-latest',
  category: 'reports',
  severity: 'warning',
  section: '2.4(4)',
  finds:
    '`latest` was read three times or more while it showed the same unfinished report, with nothing else new in between',
  instead:
    'Watch the reports list, or `last-generated`, to learn that a report is completed: `latest` may show another report by then.',
  start: () => new Map<string, Run>(),
  read: (runs, { operation, isRead, caller, project, key, shown, before, sequence }, report) => {
    if (!isRead) return
    const known = runs.get(caller)
    const run = known ?? { urls: new Map(), polls: new Map() }
    if (!known) remember(runs, caller, run)
    if (operation === 'getLatestReport') {
      const [selected] = shown?.reports ?? []
      if (before) report.meet()
      const poll = run.polls.get(project!)
      if (poll) poll.requests.push(sequence)
      if (poll?.requests.length === POLLS) {
        const message = `Requests ${poll.requests.join(', ')} read latest of project ${project} to see whether its report is completed.`
        report.fail({ requests: [...poll.requests], message })
      }
      if (!selected || selected.status === 'completed') run.polls.delete(project!)
      else if (poll?.report !== selected.id) {
        if (run.polls.size >= MAXIMUM_POLLS) run.polls.clear()
        run.polls.set(project!, { report: selected.id, requests: [sequence] })
      } else poll.requests.splice(POLLS)
      return
    }
    if (operation === 'listReports' || operation === 'getLastGeneratedReport') {
      run.polls.delete(project!)
      if (before) report.meet()
      return
    }
    if (run.urls.has(key)) return
    if (run.urls.size >= MAXIMUM_URLS) run.urls.clear()
    run.urls.set(key, true)
    run.polls.clear()
  },
})
