import type { JournalRequest } from '../../journal/journal-request.ts'
import type { Review } from '../review.ts'

/** What a report says about a request. */
export type ReportedRequest = Pick<
  JournalRequest,
  'sequence' | 'method' | 'path' | 'query' | 'status'
>

/** All that a report is written from: the same input gives the same bytes. */
export interface ReportInput {
  review: Review
  /** The requests that findings name, if the journal still has them. */
  requests: readonly ReportedRequest[]
  /** The file with the session that reproduces the findings; undefined if none was saved. */
  session?: string | undefined
}

/** A review with the requests of a journal that its findings name. */
export function toReportInput(review: Review, requests: Iterable<JournalRequest>): ReportInput {
  const named = new Set(
    review.checks.flatMap(({ findings }) => findings.flatMap((finding) => finding.requests)),
  )
  return { review, requests: [...requests].filter(({ sequence }) => named.has(sequence)) }
}
