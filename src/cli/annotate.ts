import { toAnnotations } from '../review/reports/annotations.ts'
import type { ReportInput } from '../review/reports/report-input.ts'

/** Annotates a job of GitHub Actions with what a review found, on standard error, because standard output is for the result. */
export function annotate(input: ReportInput): void {
  if (process.env['GITHUB_ACTIONS'] === 'true') process.stderr.write(toAnnotations(input))
}
