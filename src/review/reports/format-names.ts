/** The formats of report files. */
export const REPORT_FORMAT_NAMES = ['json', 'junit', 'markdown', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMAT_NAMES)[number]
