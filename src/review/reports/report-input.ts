import type { JudgedReview } from '../judge.ts'

/** The input of a report. Equal inputs give identical bytes. */
export interface ReportInput {
  review: JudgedReview
  /** Path of the saved session that reproduces the findings; undefined if none was saved. */
  session?: string | undefined
  /**
   * Command line that reproduces the first finding of a rehearsal. If omitted, the report shows a call of `rehearse`.
   */
  repeatCommand?: string | undefined
}

export const REPORT_FORMAT_NAMES = ['json', 'junit', 'markdown', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMAT_NAMES)[number]
