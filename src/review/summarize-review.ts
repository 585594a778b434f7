import { SEVERITIES } from '../contract/verdicts.ts'
import type { ReviewSummary } from '../world/partner.ts'
import type { Review } from './review.ts'
import { isDelivered } from './verdict.ts'

/** A sentence may have the path of a request in it. */
const LONGEST_MESSAGE = 500

/** A review in a line, for a list of clients. */
export function summarizeReview({ verdict, checks, ledger }: Review): Omit<ReviewSummary, 'at'> {
  const failed = checks.filter(({ result }) => result === 'failed')
  const worst = SEVERITIES.flatMap((severity) =>
    failed.filter((check) => check.severity === severity),
  )[0]
  const [finding] = worst?.findings ?? []
  return {
    verdict,
    worst:
      worst && finding
        ? {
            check: worst.id,
            severity: worst.severity,
            message: finding.message.slice(0, LONGEST_MESSAGE),
            instead: finding.instead,
          }
        : null,
    delivered: ledger.filter(isDelivered).length,
    finished: ledger.length,
  }
}
