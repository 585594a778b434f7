import type { CheckResult, LedgerEntry, Review } from './review.ts'

type Judged = Pick<CheckResult, 'severity' | 'result'> & { waived?: true }

export function isError({ severity, result, waived }: Judged): boolean {
  return severity === 'error' && result === 'failed' && !waived
}

export function toVerdict(
  { requests, answered, checks }: Pick<Review, 'requests' | 'answered'> & { checks: Judged[] },
  isUnmet = false,
): Review['verdict'] {
  if (isUnmet || checks.some(isError)) return 'failed'
  if (requests === 0) return 'nothing-asked'
  return answered ? 'passed' : 'nothing-read'
}

/** True if a review makes its run fail: the verdict is `failed`, or the client sent requests but read nothing. */
export function isFailure({ verdict }: Pick<Review, 'verdict'>): boolean {
  return verdict === 'failed' || verdict === 'nothing-read'
}

/** True if the client fetched the content of a report in time, even if more than once. */
export function isDelivered({ state }: Pick<LedgerEntry, 'state'>): boolean {
  return state === 'delivered' || state === 'twice'
}
