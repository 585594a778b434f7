import { defineCheck } from '../check.ts'

export const retryUnauthorised = defineCheck({
  id: 'retry-unauthorised',
  category: 'retries',
  severity: 'error',
  section: '5',
  finds: 'A 401 or 403 was repeated within a minute, with the same token and nothing changed',
  instead:
    'Stop at a 401 or 403 and tell a person: only another token, or a change of its status or addresses, helps.',
  exercise: "Disable the client's token for a while, so that a request gets a 401 or 403.",
  sees: 'errors',
  read: (request, report) => {
    const { status, before, isRetry, sequence } = request
    if (isRefused(status)) report.meet()
    if (!before || !isRetry || !isRefused(before.status)) return
    report.fail(
      () =>
        `Request ${sequence} repeats request ${before.sequence}, which was refused with ${before.status}.`,
      () => [request.toNamedBefore(), request.toNamed()],
    )
  },
})

function isRefused(status: number): boolean {
  return status === 401 || status === 403
}
