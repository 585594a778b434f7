/** What the pages of a report show: its web page and its PDF. */
export interface ReportPage {
  /** The agency that makes the report. */
  agency: { id: number; name: string }
  /** The person who is responsible for it, and what they do; null where it is nobody, or not known. */
  author: { name: string; role: string | null } | null
  /** The name of the project. */
  project: string
  /** Its website; null for none. */
  website: string | null
  reportNumber: number
  reportName: string | null
  /** A day of the month that the report is about, `YYYY-MM-DD`; null where it is not known. */
  date: string | null
  /** The display name of the language that the report is in, and of its texts, like `Danish`; null where unknown. */
  language: string | null
  textLanguage: string | null
  /** The file name of the PDF, which is beside the web page. */
  pdf: string
  /** A day of the month of the report before it; null for the first. */
  dateBefore: string | null
  /** Those with content are shown ahead of the others. */
  keywords: readonly PageKeyword[]
  /** How the keywords stood in each month, up to that of the report; empty where too little is known for a chart. */
  months: readonly PageMonth[]
}

export interface PageMonth {
  /** A day of the month. */
  date: string
  /** How many keywords were in each band of positions, as `countByBand` has it. */
  counts: readonly number[]
}

export interface PageKeyword {
  id: number
  keyword: string
  url: string | null
  /** In the month of the report, counted from 1; null for none, undefined where it is not known. */
  position: number | null | undefined
  /** The same in the month of the report before. */
  before: number | null | undefined
  /** The content of the report for it, computed when it is read; undefined for none. */
  content: (() => readonly PageBlock[]) | undefined
}

/** A heading, with a paragraph below it. */
export interface PageBlock {
  heading: string
  text: string
}

/**
 * The blocks of content in the plain form of any scheme: each text below the name of its field. `null` and empty
 * texts are left out.
 */
export function toBlocks(content: unknown, field = ''): PageBlock[] {
  if (Array.isArray(content)) return content.flatMap((item) => toBlocks(item, field))
  if (typeof content === 'object' && content !== null) {
    return Object.entries(content).flatMap(([name, value]) => toBlocks(value, name))
  }
  if (content === null || content === undefined || content === '') return []
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return [{ heading: field, text }]
}
