import type { ReportRecord } from '../contract/report.ts'

type Content = NonNullable<ReportRecord['content']>

/** Adds content to a report that is written when it is read, because most of it never is. */
export function withLazyContent(report: ReportRecord, write: () => Content): ReportRecord {
  let content: Content | undefined
  Object.defineProperty(report, WRITTEN, { value: () => (content ??= write()) })
  return Object.defineProperty(report, 'content', CONTENT)
}

/** The function that writes the content of a report when it is first read. */
const WRITTEN = Symbol('written')

/**
 * One accessor for all reports: an accessor per report would give each one its own hidden class, which V8 keeps
 * until its next full collection.
 */
const CONTENT: PropertyDescriptor & ThisType<{ [WRITTEN]: () => ReportRecord['content'] }> = {
  enumerable: true,
  get() {
    return this[WRITTEN]()
  },
}
