import { MINUTE_MS } from '../../contract/time.ts'
import { defineCheck, remember } from '../check.ts'
import type { CheckReporter } from '../check.ts'
import { listSequences } from '../reviewed-request.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'

/** Consecutive reads that showed the same unfinished report, or a project that seems unchanged. */
interface Poll {
  /** The id of the report, or the length of the response body for a project. */
  fingerprint: number
  requests: NamedRequest[]
  /** Time of the last read by the rate clock, in epoch milliseconds. */
  rateMs: number
  /** Time of the last read by the world clock, in epoch milliseconds. */
  worldMs: number
}

const MINIMUM_POLLS = 3

/** Reads at least this far apart, by either clock, are not polling. */
const APART_MS = 10 * MINUTE_MS

export const pollLatest = defineCheck({
  id: 'poll-latest',
  category: 'reports',
  severity: 'warning',
  section: '2.4(4)',
  finds:
    'read `latest` three times or more, each within ten minutes of the one before, for the same unfinished report; or the project, unchanged',
  instead:
    'Watch the reports list to learn that a report is completed: `latest` may show another report by then, and `last-generated` misses one that is finished after a newer one.',
  exercise: 'Let the client read the reports of a project, or `latest`, twice.',
  sees: ['getLatestReport', 'getLastGeneratedReport', 'listReports', 'getProject'],
  start: () => new Map<string, Map<number, Poll>>(),
  read: (request, report, byCaller) => {
    const { operation, isRead, caller, project, shown, before, rateMs, worldMs } = request
    if (!isRead) return
    if (operation === 'getProject') {
      readProject(request, report, byCaller)
    } else if (operation === 'getLatestReport') {
      if (before) report.meet()
      const polls = byCaller.get(caller) ?? new Map<number, Poll>()
      remember(byCaller, caller, polls)
      const [selected] = shown?.reports ?? []
      const last = polls.get(project!)
      const poll = last && isSoon(last, request) ? last : undefined
      poll?.requests.push(request.toNamed())
      if (poll?.requests.length === MINIMUM_POLLS) {
        report.fail(
          () =>
            `Requests ${listSequences(poll.requests)} poll latest of project ${project} for the completion of its report.`,
          () => poll.requests,
        )
      }
      if (!selected || selected.status === 'completed') {
        polls.delete(project!)
        return
      }
      const isSame = poll?.fingerprint === selected.id
      const requests = isSame ? poll.requests.slice(0, MINIMUM_POLLS) : [request.toNamed()]
      remember(polls, project!, { fingerprint: selected.id, requests, rateMs, worldMs })
    } else if (operation === 'listReports' || operation === 'getLastGeneratedReport') {
      if (before) report.meet()
      byCaller.get(caller)?.delete(project!)
    }
  },
})

/**
 * Records a read of a project, and reports polling. The project is taken as unchanged if its response has the same
 * length as before.
 */
function readProject(
  request: Readonly<ReviewedRequest>,
  report: CheckReporter,
  byCaller: Map<string, Map<number, Poll>>,
): void {
  const { caller, project, bodyBytes, rateMs, worldMs } = request
  const polls = byCaller.get(caller) ?? new Map<number, Poll>()
  remember(byCaller, caller, polls)
  // Ids are positive, so negative keys are free for reads of the project.
  const key = -project!
  const last = polls.get(key)
  const isSame = last?.fingerprint === bodyBytes && isSoon(last, request)
  const requests = isSame ? last.requests.slice(0, MINIMUM_POLLS) : []
  requests.push(request.toNamed())
  if (requests.length === MINIMUM_POLLS)
    report.fail(
      () =>
        `Requests ${listSequences(requests)} poll project ${project} for the completion of its report.`,
      () => requests,
    )
  remember(polls, key, { fingerprint: bodyBytes, requests, rateMs, worldMs })
}

function isSoon(last: Poll, { rateMs, worldMs }: Readonly<ReviewedRequest>): boolean {
  const isNearBy = (oneMs: number, otherMs: number) => Math.abs(oneMs - otherMs) < APART_MS
  return isNearBy(last.rateMs, rateMs) && isNearBy(last.worldMs, worldMs)
}
