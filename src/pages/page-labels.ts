/** The words of a report's pages in one language. */
export interface PageLabels {
  /** The language tag of the words, and of dates. */
  locale: string
  report: string
  keywords: string
  position: string
  noKeywords: string
  noContent: string
  /** "of" in "1 of 3". */
  of: string
  page: string
  /** What a question mark in a PDF may stand for. */
  replaced: string
}

const ENGLISH: PageLabels = {
  locale: 'en',
  report: 'Report',
  keywords: 'Keywords',
  position: 'Position',
  noKeywords: 'The project has no keywords.',
  noContent: 'The report has no text for this keyword.',
  of: 'of',
  page: 'Page',
  replaced: 'This PDF shows characters that its font lacks as “?”. The web page shows all of them.',
}

/** By the display name of a language; English where there are no words. */
const LABELS: Readonly<Record<string, PageLabels>> = {
  English: ENGLISH,
  Danish: {
    locale: 'da',
    report: 'Rapport',
    keywords: 'Søgeord',
    position: 'Placering',
    noKeywords: 'Projektet har ingen søgeord.',
    noContent: 'Rapporten har ingen tekst til dette søgeord.',
    of: 'af',
    page: 'Side',
    replaced: 'Tegn, som skrifttypen mangler, vises som “?” i denne PDF. Websiden viser dem alle.',
  },
  Dutch: {
    locale: 'nl',
    report: 'Rapport',
    keywords: 'Zoekwoorden',
    position: 'Positie',
    noKeywords: 'Het project heeft geen zoekwoorden.',
    noContent: 'Het rapport heeft geen tekst voor dit zoekwoord.',
    of: 'van',
    page: 'Pagina',
    replaced:
      'Tekens die in het lettertype ontbreken, staan in deze pdf als “?”. De webpagina toont ze allemaal.',
  },
  German: {
    locale: 'de',
    report: 'Bericht',
    keywords: 'Keywords',
    position: 'Position',
    noKeywords: 'Das Projekt hat keine Keywords.',
    noContent: 'Der Bericht enthält keinen Text zu diesem Keyword.',
    of: 'von',
    page: 'Seite',
    replaced:
      'Zeichen, die der Schrift fehlen, stehen in diesem PDF als „?“. Die Webseite zeigt sie alle.',
  },
  Swedish: {
    locale: 'sv',
    report: 'Rapport',
    keywords: 'Sökord',
    position: 'Placering',
    noKeywords: 'Projektet har inga sökord.',
    noContent: 'Rapporten har ingen text för detta sökord.',
    of: 'av',
    page: 'Sida',
    replaced:
      'Tecken som saknas i typsnittet visas som ”?” i denna PDF. Webbsidan visar alla tecken.',
  },
}

export function labelsOf(language: string | null): PageLabels {
  return (language !== null && Object.hasOwn(LABELS, language) && LABELS[language]) || ENGLISH
}

/** The tag of the language of a text; the empty one, for an unknown language, where it is not listed. */
export function languageTag(language: string | null): string {
  if (language === 'Norwegian') return 'nb'
  return language !== null && Object.hasOwn(LABELS, language)
    ? (LABELS[language]?.locale ?? '')
    : ''
}

/** The month of a day, like `March 2026`. */
function formatMonth(date: string, { locale }: PageLabels): string {
  const format = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, format).format(new Date(date))
}

/** What a report is called on its pages: its name, the month, its number. */
export function describeReport(
  {
    reportName,
    date,
    reportNumber,
  }: { reportName: string | null; date: string | null; reportNumber: number },
  labels: PageLabels,
): string {
  const month = date === null ? null : formatMonth(date, labels)
  return [reportName, month, `${labels.report} ${reportNumber}`].filter((part) => part).join(' · ')
}
