import { memoize } from '../contract/cache.ts'
import type { Standing } from '../drawing/standings.ts'
import { LABELS } from './labels-by-language.ts'
import { BANDS } from './report-page.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'

/** The words of a report's pages in one language. */
export type PageLabels = (typeof LABELS)['English']

/** Shown for a missing or unknown position or change. */
const UNKNOWN = '–'

const BY_LANGUAGE = new Map<string | null, PageLabels>(Object.entries(LABELS))

/** Returns the labels of a language; the English ones for an unknown language. */
export function labelsOf(language: string | null): PageLabels {
  return BY_LANGUAGE.get(language) ?? LABELS.English
}

/**
 * Returns the tag of a language from its English name, such as `da` for Danish; empty if there are no labels in that
 * language.
 */
export function languageTag(language: string | null): string {
  return language === 'Norwegian' ? 'nb' : (BY_LANGUAGE.get(language)?.locale ?? '')
}

/** Memoized, because creating the formats for each page doubled the time to render it. */
const formatsOf = memoize((locale: string) => {
  const create = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  return {
    whole: create({ month: 'long', year: 'numeric' }),
    withoutYear: create({ month: 'long' }),
    short: create({ month: 'short' }),
  }
})

/** Names the month of a date, with the year unless `other` is in the same year. */
function nameMonth(date: string, { locale }: PageLabels, other?: string | null): string {
  const isSameYear = other?.slice(0, 4) === date.slice(0, 4)
  return formatsOf(locale)[isSameYear ? 'withoutYear' : 'whole'].format(new Date(date))
}

/** Returns the title of a report on its pages: its name and month, if known, and its number. */
export function reportTitle(
  { reportName, date, reportNumber }: ReportPage,
  labels: PageLabels,
): string {
  const month = date === null ? null : nameMonth(date, labels)
  return [reportName, month, `${labels.report} ${reportNumber}`].filter((part) => part).join(' · ')
}

export interface KeywordTable {
  heading: string
  keywords: readonly PageKeyword[]
}

/** Returns a table of the keywords with content, and a table of the others. */
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

/** Describes the author of a report; undefined if the author is unknown. */
export function describeAuthor({ author }: ReportPage, labels: PageLabels): Sentence | undefined {
  if (!author) return undefined
  const name = author.role === null ? author.name : `${author.name} · ${author.role}`
  return fillIn(labels.author, { name: { name } })
}

/**
 * Returns the heading of the column of changes; undefined if there is no previous report, or if no position in it is
 * known.
 */
export function describeChange(
  { dateBefore, date, keywords }: ReportPage,
  labels: PageLabels,
): string | undefined {
  if (dateBefore === null || keywords.every(({ before }) => before === undefined)) return undefined
  return toPlainText(fillIn(labels.since, { month: nameMonth(dateBefore, labels, date) }))
}

/** Shortens the URL of a keyword to its path if it belongs to the website of the project. */
export function showAddress(url: string, { website }: ReportPage): string {
  return website !== null && url.startsWith(`${website}/`) ? url.slice(website.length) : url
}

export function showPosition({ position }: PageKeyword): string {
  return String(position ?? UNKNOWN)
}

/** Formats the change of a keyword's position. `direction` is undefined if the change is unknown or zero. */
export function showChange(
  { position, before }: PageKeyword,
  labels: PageLabels,
): { text: string; direction: 'up' | 'down' | undefined } {
  if (typeof position !== 'number' || before === undefined)
    return { text: UNKNOWN, direction: undefined }
  if (before === null) return { text: labels.new, direction: 'up' }
  const places = before - position
  if (places === 0) return { text: '±0', direction: undefined }
  return places > 0
    ? { text: `+${places}`, direction: 'up' }
    : { text: `−${-places}`, direction: 'down' }
}

/** Returns the columns of the chart: short names of months, with the year in the first column and in each January. */
export function toStandings({ months }: ReportPage, { locale }: PageLabels): Standing[] {
  const { short } = formatsOf(locale)
  const isJanuary = (date = '') => date.slice(5, 7) === '01'
  return months.map(({ date, counts }, index) => ({
    month: short.format(new Date(date)).replace('.', ''),
    // Omitted from the first column if January follows, because the two labels would touch.
    year:
      isJanuary(date) || (index === 0 && !isJanuary(months[1]?.date))
        ? date.slice(0, 4)
        : undefined,
    counts,
  }))
}

const FIRST_PAGE = 10

/** Minimum change of a position that the summary mentions. */
const MINIMUM_CHANGE = 2
/** The summary mentions a change only if the old or new position is at most this. */
const LAST_CHANGED_POSITION = 20

/** The summary mentions the first month of a chart only if the last month is at least this many months later. */
const MINIMUM_AGE_MONTHS = 6

/** Maximum length of a keyword in the summary, in characters. A longer one would obscure the sentence. */
const MAXIMUM_KEYWORD_LENGTH = 60

type Known = PageKeyword & { position: number | null }

/**
 * Summarizes a report in a sentence: the number of keywords in the top ten now, in the previous report and in the first
 * month of the chart, and the keyword with the largest change. For a single keyword, gives its position instead.
 */
export function summarize(page: ReportPage, labels: PageLabels): Sentence {
  const { keywords } = page
  const { summary } = labels
  const known = keywords.filter((keyword): keyword is Known => keyword.position !== undefined)
  const [first] = known
  if (!first) return [`${summary.unknown}.`]
  if (known.length === 1) {
    const { position, before } = first
    if (position === null) return [`${summary.absent}.`]
    return [...fillIn(summary.single, { position }), ...compare(position, before, summary), '.']
  }
  const top = countFirst(known.map(({ position }) => position))
  const before = known.map((keyword) => keyword.before)
  const isComparable = !before.includes(undefined)
  return [
    ...fillIn(summary[amount(top, known.length)], { top, count: known.length }),
    ...compare(top, isComparable ? countFirst(before) : undefined, summary),
    ...recall(top, page, labels),
    ...nameChange(known, page, labels),
    '.',
  ]
}

function amount(top: number, count: number): 'none' | 'one' | 'several' | 'all' {
  if (top === count) return 'all'
  return top === 0 ? 'none' : top === 1 ? 'one' : 'several'
}

function countFirst(positions: readonly (number | null | undefined)[]): number {
  return positions.filter((position) => (position ?? Infinity) <= FIRST_PAGE).length
}

function compare(
  now: number,
  before: number | null | undefined,
  summary: PageLabels['summary'],
): Sentence {
  if (before === null || before === undefined) return []
  return before === now ? [summary.same] : fillIn(summary.before, { before })
}

/**
 * Returns a phrase with the number of keywords in the top ten in the first month of the chart. Empty if the number is
 * unchanged, if the report has no date, or if that month is too recent.
 */
function recall(now: number, { months, date }: ReportPage, labels: PageLabels): Sentence {
  const [first] = months
  if (!first || date === null || months.length - 1 < MINIMUM_AGE_MONTHS) return []
  const count = sumFirst(first.counts)
  const month = nameMonth(first.date, labels, date)
  return count === now ? [] : fillIn(labels.summary.earlier, { month, count })
}

/** Returns the number of keywords in the bands that make up the top ten. */
function sumFirst(counts: readonly number[]): number {
  const bands = BANDS.filter(({ until }) => until <= FIRST_PAGE).length
  return counts.slice(0, bands).reduce((sum, count) => sum + count, 0)
}

/**
 * Returns a phrase with the keyword whose position changed most since the previous report. Empty if two keywords
 * changed equally, or if the summary does not mention the change.
 */
function nameChange(
  keywords: readonly Known[],
  { dateBefore, date }: ReportPage,
  labels: PageLabels,
): Sentence {
  const changes = keywords
    .flatMap(({ keyword, position: to, before: from }) =>
      to !== null && from ? [{ keyword, from, to, by: Math.abs(from - to) }] : [],
    )
    .toSorted((one, other) => other.by - one.by)
  const [most, second] = changes
  if (!most || dateBefore === null || most.by < MINIMUM_CHANGE || most.by === second?.by) return []
  const { keyword, from, to } = most
  const isName = keyword.length <= MAXIMUM_KEYWORD_LENGTH && !/\p{Cc}/u.test(keyword)
  if (!isName || Math.min(from, to) > LAST_CHANGED_POSITION) return []
  const month = nameMonth(dateBefore, labels, date)
  const { rise, fall } = labels.summary
  return fillIn(to < from ? rise : fall, { month, from, to, keyword: { name: keyword } })
}

/** A sentence in parts: words in the language of the page, and names in any language and direction. */
export type Sentence = readonly SentencePart[]

export type SentencePart = string | { name: string }

/** Replaces the placeholders in a label, such as `{count}`, with numbers and names. */
export function fillIn(
  label: string,
  values: Readonly<Record<string, SentencePart | number>>,
): Sentence {
  // The group in the separator makes every second piece the name of a placeholder.
  return label.split(/\{(\w+)\}/).map((piece, index) => {
    const value = index % 2 === 0 ? piece : values[piece]
    return typeof value === 'object' ? value : String(value)
  })
}

export function toPlainText(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.name)).join('')
}
