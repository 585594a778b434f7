import { toShownJson } from '../../contract/text.ts'
import { toHtml } from './html-page.ts'
import { toJunit } from './junit.ts'
import { toMarkdown } from './markdown.ts'
import type { ReportFormat, ReportInput } from './report-input.ts'

export const REPORT_FORMATS: Record<ReportFormat, (input: ReportInput) => string> = {
  json: toJson,
  junit: toJunit,
  markdown: toMarkdown,
  html: toHtml,
}

/** Writes the whole review as JSON, including fields that `GET /_sandbox/review` leaves out. */
export function toJson({ review }: ReportInput): string {
  return `${toShownJson(review, 2)}\n`
}
