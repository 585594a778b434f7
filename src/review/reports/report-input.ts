import type { JudgedReview } from '../judge.ts'

/** Everything a report is written from: the same input gives the same bytes. */
export interface ReportInput {
  review: JudgedReview
  /** The file with the session that reproduces the findings; undefined if none was saved. */
  session?: string | undefined
  /** The command that repeats the first finding of a rehearsal; a call of `rehearse` where omitted. */
  again?: string | undefined
}

/** The formats of report files. */
export const REPORT_FORMAT_NAMES = ['json', 'junit', 'markdown', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMAT_NAMES)[number]
