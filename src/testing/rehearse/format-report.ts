import { REPORT_FORMATS } from '../../review/reports/formats.ts'
import type { ReportFormat } from '../../review/reports/report-input.ts'
import { toTerminal } from '../../review/reports/terminal.ts'
import type { TerminalColors } from '../../review/reports/terminal.ts'
import type { RehearsalReport } from './rehearse-client.ts'

const plain = (text: string): string => text
const NO_COLORS: TerminalColors = {
  bold: plain,
  dim: plain,
  green: plain,
  red: plain,
  yellow: plain,
}

/** Formats a report: for people, as `text` without colours, `markdown` or `html`; for programs, as `json` or `junit`. */
export function formatReport(
  report: RehearsalReport,
  format: ReportFormat | 'text' = 'text',
): string {
  // The client's state may be any value, so it is left out.
  const { kept, ...review } = report
  void kept
  return format === 'text' ? toTerminal({ review }, NO_COLORS) : REPORT_FORMATS[format]({ review })
}
