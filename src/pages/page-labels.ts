import { memoize } from '../contract/cache.ts'
import type { Standing } from '../drawing/standings.ts'
import { LABELS } from './labels-by-language.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'
import { fillIn, toPlainText } from './sentence.ts'
import type { Sentence } from './sentence.ts'

/** The words of a report's pages in one language. */
export type PageLabels = (typeof LABELS)['English']

/** What is shown for a position or a change that does not exist, or is not known. */
const UNKNOWN = '–'

/** By the display name of a language. */
const BY_LANGUAGE = new Map<string | null, PageLabels>(Object.entries(LABELS))

/** English where a language has no labels. */
export function labelsOf(language: string | null): PageLabels {
  return BY_LANGUAGE.get(language) ?? LABELS.English
}

/** The tag of the language of a text; the empty one, for an unknown language, where it has no labels. */
export function languageTag(language: string | null): string {
  return language === 'Norwegian' ? 'nb' : (BY_LANGUAGE.get(language)?.locale ?? '')
}

/** How a language writes months. Kept, because creating them for each page doubled the time that a page takes. */
const formatsOf = memoize((locale: string) => {
  const create = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  return {
    whole: create({ month: 'long', year: 'numeric' }),
    withoutYear: create({ month: 'long' }),
    short: create({ month: 'short' }),
  }
})

/** The month of a day; with its year unless the other day is in the same year. */
function nameMonth(date: string, { locale }: PageLabels, other?: string | null): string {
  const isSameYear = other?.slice(0, 4) === date.slice(0, 4)
  return formatsOf(locale)[isSameYear ? 'withoutYear' : 'whole'].format(new Date(date))
}

/** What a report is called on its pages: its name, the month, its number. */
export function describeReport(
  { reportName, date, reportNumber }: ReportPage,
  labels: PageLabels,
): string {
  const month = date === null ? null : nameMonth(date, labels)
  return [reportName, month, `${labels.report} ${reportNumber}`].filter((part) => part).join(' · ')
}

/** A table of keywords, and what is above it. */
export interface KeywordTable {
  heading: string
  keywords: readonly PageKeyword[]
}

/** The keywords for which the report has content, and the others. */
export function toTables(
  { keywords }: ReportPage,
  labels: PageLabels,
): Record<'covered' | 'further', KeywordTable> {
  const covered = keywords.filter(({ content }) => content)
  const further = keywords.filter(({ content }) => !content)
  const others = covered.length === 0 ? labels.keywords : labels.further_keywords
  return {
    covered: { heading: `${labels.keywords} (${covered.length})`, keywords: covered },
    further: { heading: `${others} (${further.length})`, keywords: further },
  }
}

/** Who the report is by; undefined where that is not known. */
export function describeAuthor({ author }: ReportPage, labels: PageLabels): Sentence | undefined {
  if (!author) return undefined
  const name = author.role === null ? author.name : `${author.name}, ${author.role}`
  return fillIn(labels.author, { name: { name } })
}

/** What is above the changes of positions; undefined if none is known. */
export function describeChange(
  { dateBefore, date, keywords }: ReportPage,
  labels: PageLabels,
): string | undefined {
  if (dateBefore === null || keywords.every(({ before }) => before === undefined)) return undefined
  return toPlainText(fillIn(labels.since, { month: nameMonth(dateBefore, labels, date) }))
}

/** The address of a keyword's page as it is shown: without the address of the website if the page belongs to it. */
export function showAddress(url: string, { website }: ReportPage): string {
  return website !== null && url.startsWith(`${website}/`) ? url.slice(website.length) : url
}

/** How a position is written. */
export function showPosition({ position }: PageKeyword): string {
  return String(position ?? UNKNOWN)
}

/** By how many places a keyword has risen or fallen, and which of the two. */
export function showChange(
  { position, before }: PageKeyword,
  labels: PageLabels,
): { text: string; way: 'up' | 'down' | undefined } {
  if (typeof position !== 'number' || before === undefined) return { text: UNKNOWN, way: undefined }
  if (before === null) return { text: labels.new, way: 'up' }
  const places = before - position
  if (places === 0) return { text: '±0', way: undefined }
  return places > 0 ? { text: `+${places}`, way: 'up' } : { text: `−${-places}`, way: 'down' }
}

/** The columns of the chart: months by their short names, with the year where it begins. */
export function toStandings({ months }: ReportPage, { locale }: PageLabels): Standing[] {
  const { short } = formatsOf(locale)
  return months.map(({ date, counts }, index) => ({
    month: short.format(new Date(date)).replace('.', ''),
    year: index === 0 || date.slice(5, 7) === '01' ? date.slice(0, 4) : undefined,
    counts,
  }))
}
