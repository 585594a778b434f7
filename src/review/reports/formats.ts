import type { ReportFormat } from './format-names.ts'
import { toHtml } from './html.ts'
import { toJson } from './json.ts'
import { toJunit } from './junit.ts'
import { toMarkdown } from './markdown.ts'
import type { ReportInput } from './report-input.ts'

/** Writes a report in each format of a file; `toTerminal` writes one for a terminal. */
export const REPORT_FORMATS: Record<ReportFormat, (input: ReportInput) => string> = {
  json: toJson,
  junit: toJunit,
  markdown: toMarkdown,
  html: toHtml,
}
