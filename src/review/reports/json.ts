import { toShownJson } from '../../contract/text.ts'
import type { ReportInput } from './report-input.ts'

/** The whole review, as `GET /_sandbox/review` returns it. */
export function toJson({ review }: ReportInput): string {
  return `${toShownJson(review, 2)}\n`
}
