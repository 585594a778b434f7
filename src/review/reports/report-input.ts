import type { Review } from '../review.ts'

/** All that a report is written from: the same input gives the same bytes. */
export interface ReportInput {
  review: Review
  /** The file with the session that reproduces the findings; undefined if none was saved. */
  session?: string | undefined
}
