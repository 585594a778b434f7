import type { JudgedReview } from '../judge.ts'

/** The input of a report: the same input gives the same bytes. */
export interface ReportInput {
  review: JudgedReview
  /** The file with the session that reproduces the findings; undefined if none was saved. */
  session?: string | undefined
  /** The command that repeats the first finding of a rehearsal; a call of `rehearse` if omitted. */
  again?: string | undefined
}

export const REPORT_FORMAT_NAMES = ['json', 'junit', 'markdown', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMAT_NAMES)[number]
