import type { ReportFormat } from './format-names.ts'
import { toHtml } from './html.ts'
import { toJson } from './json.ts'
import { toJunit } from './junit.ts'
import { toMarkdown } from './markdown.ts'
import type { ReportInput } from './report-input.ts'

/** What each format of a report is written by; a terminal's is written by `toTerminal`. */
export const REPORT_FORMATS: Record<ReportFormat, (input: ReportInput) => string> = {
  json: toJson,
  junit: toJunit,
  markdown: toMarkdown,
  html: toHtml,
}
