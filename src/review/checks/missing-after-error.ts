import { OPERATION_IDS, toEndpoint } from '../../contract/endpoint.ts'
import { defineCheck, remember } from '../check.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'

interface Missing {
  request: NamedRequest
  /** What was asked, and how it failed. */
  what: string
}

/** Each of them shows how far the reports of a project are, so any of them makes up for another. */
const PROGRESS: readonly unknown[] = ['listReports', 'getLatestReport', 'getLastGeneratedReport']

export const missingAfterError = defineCheck({
  id: 'missing-after-error',
  category: 'retries',
  severity: 'error',
  section: '7',
  finds: 'What a 5xx, a lost connection or a broken body left out was never read afterwards',
  instead:
    'Retry a 5xx, a lost connection and a body that cannot be parsed, and keep the old data and repeat the run where that does not help.',
  exercise: 'Add a fault that fails a request of the client, such as one of `status` 500.',
  sees: OPERATION_IDS.filter((id) => id !== 'getMe'),
  start: () => new Map<string, Missing>(),
  read: (request, report, missing) => {
    const { sender, operation, isFailure, status } = request
    if (!isFailure && missing.size === 0) return
    if (sender.method !== 'GET') return
    const key = resourceOf(request)
    if (isFailure) {
      report.meet()
      remember(missing, key, {
        request: request.toNamed(),
        what: `${toEndpoint(operation!)}, which ${howFailed(status)}`,
      })
    } else if (status !== 429) missing.delete(key)
  },
  pending: (missing) =>
    [...missing.values()].map(({ request, what }) => ({
      requests: [request],
      message: `Request ${request.sequence} asked for ${what}, and the client never got it afterwards.`,
    })),
})

function resourceOf({ operation, project, caller, key }: Readonly<ReviewedRequest>): string {
  return PROGRESS.includes(operation) ? `${caller} ${project}` : key
}

function howFailed(status: number): string {
  if (status === 0) return 'got no response'
  return status >= 500 ? `failed with ${status}` : 'came with a broken body'
}
