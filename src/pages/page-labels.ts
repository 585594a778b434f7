import { LABELS } from './labels-by-language.ts'
import type { ReportPage } from './report-page.ts'

/** The words of a report's pages in one language. */
export type PageLabels = (typeof LABELS)['English']

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

const MONTH = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const

/** What a report is called on its pages: its name, the month, its number. */
export function describeReport(
  { reportName, date, reportNumber }: ReportPage,
  { locale, report }: PageLabels,
): string {
  const month = date === null ? null : new Date(date).toLocaleDateString(locale, MONTH)
  return [reportName, month, `${report} ${reportNumber}`].filter((part) => part).join(' · ')
}
