/** The formats of reports besides a terminal's. */
export const REPORT_FORMAT_NAMES = ['json', 'junit', 'markdown', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMAT_NAMES)[number]
