import type { ReportInput } from './report-input.ts'

/** The whole review, as `GET /_sandbox/review` returns it. */
export function toJson({ review }: ReportInput): string {
  return `${JSON.stringify(review, null, 2)}\n`
}
