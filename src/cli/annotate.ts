import { toAnnotations } from '../review/reports/annotations.ts'
import type { ReportInput } from '../review/reports/report-input.ts'

/** In a job of GitHub Actions, which reads both streams, annotates it with what a review found. Standard output is for the result. */
export function annotate(input: ReportInput): void {
  if (process.env['GITHUB_ACTIONS'] === 'true') process.stderr.write(toAnnotations(input))
}
