/** The content of a report's web page and PDF. */
export interface ReportPage {
  agency: { id: number; name: string }
  /**
   * The project's managing user; null if the project has none, or if the user is unknown. `role` is null if unknown.
   */
  author: { name: string; role: string | null } | null
  project: string
  website: string | null
  reportNumber: number
  reportName: string | null
  /** A date in the month of the report, as `YYYY-MM-DD`; null if unknown. */
  date: string | null
  /** Display name of the language of the report, such as `Danish`; null if unknown. */
  language: string | null
  /** Display name of the language of the texts; null if unknown. */
  textLanguage: string | null
  /** File name of the PDF, which is also its URL relative to that of the web page. */
  pdf: string
  /** A date in the month of the last completed report of an earlier month, as `YYYY-MM-DD`; null if there is none. */
  dateBefore: string | null
  /** All keywords of the report, best position first. Pages show those with content first. */
  keywords: readonly PageKeyword[]
  /** Rankings of recent months, up to the month of the report; empty if too little is known for a chart. */
  months: readonly PageMonth[]
}

export interface PageMonth {
  /** The first day of the month, as `YYYY-MM-DD`. */
  date: string
  /** Number of keywords in each band of positions, as returned by `countByBand`. */
  counts: readonly number[]
}

export interface PageKeyword {
  id: number
  keyword: string
  url: string | null
  /** Position in the month of the report, from 1; null if the keyword does not rank, undefined if unknown. */
  position: number | null | undefined
  /** Position in the month of `dateBefore`; null and undefined as for `position`. */
  before: number | null | undefined
  /** Returns the report's content for the keyword; undefined if the report has none for it. */
  content: (() => readonly PageBlock[]) | undefined
}

export interface PageBlock {
  heading: string
  text: string
}

/**
 * Converts content of any scheme to plain blocks: each text below the name of its field, and the paragraphs of a
 * section below their heading. Omits null and empty texts.
 */
export function toBlocks(content: unknown, field = ''): PageBlock[] {
  if (Array.isArray(content)) return content.flatMap((item) => toBlocks(item, field))
  if (typeof content === 'object' && content !== null) {
    // Content with sections also has a title, which is omitted because it repeats the keyword.
    if ('sections' in content) return toBlocks(content.sections)
    if ('heading' in content && 'paragraphs' in content) {
      const { heading, paragraphs } = content
      return [{ heading: String(heading), text: [paragraphs].flat().join('\n') }]
    }
    return Object.entries(content).flatMap(([name, value]) => toBlocks(value, name))
  }
  if (content === null || content === undefined || content === '') return []
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return [{ heading: field, text }]
}

/** Bands of positions, best first. Charts draw better bands in stronger colours. */
export const BANDS = [
  { name: '1–3', until: 3 },
  { name: '4–10', until: 10 },
  { name: '11–20', until: 20 },
  { name: '21+', until: Infinity },
] as const

/** Returns the number of keywords that do not rank: their position is null, and they are in no band. */
export function countMissing(keywords: readonly { position: number | null | undefined }[]): number {
  return keywords.filter(({ position }) => position === null).length
}

/**
 * Returns the number of positions in each band, in the order of the bands. Positions that are null or undefined are in
 * no band.
 */
export function countByBand(positions: readonly (number | null | undefined)[]): number[] {
  const counts = BANDS.map(() => 0)
  for (const position of positions) {
    if (position === null || position === undefined) continue
    const band = BANDS.findIndex(({ until }) => position <= until)
    counts[band] = (counts[band] ?? 0) + 1
  }
  return counts
}

/** The colour of an agency, on a white and on a dark background. */
export interface AgencyColor {
  light: string
  dark: string
}

/**
 * The colours of agencies. Consecutive colours differ clearly, and each has a contrast of at least 6 to its background.
 */
export const AGENCY_COLORS: readonly AgencyColor[] = [
  { light: '#025da1', dark: '#80bdfb' },
  { light: '#98370c', dark: '#f49f81' },
  { light: '#056965', dark: '#51cec7' },
  { light: '#8b3473', dark: '#e79bce' },
  { light: '#426801', dark: '#a0c679' },
  { light: '#4e4da6', dark: '#a9b0fd' },
  { light: '#7e4f04', dark: '#e5ab66' },
  { light: '#06657b', dark: '#59c8e8' },
  { light: '#982f49', dark: '#f499a7' },
  { light: '#016c46', dark: '#73cd9f' },
  { light: '#733f94', dark: '#cda4ec' },
  { light: '#685b04', dark: '#c8b962' },
]

/** Returns the index of an agency's colour. Agencies with consecutive ids have different colours. */
export function colorOf({ id }: { id: number }): number {
  return (id - 1) % AGENCY_COLORS.length
}
