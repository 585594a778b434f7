import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { H3TextBlock } from '../../contract/report.ts'
import { generateContent } from './content.ts'
import type { Locale } from './generate.ts'
import { createRandom } from '../random.ts'
import { loadWords } from './words.ts'

/** Writes what a completed report says about a keyword. */
export interface TextWriter {
  /** A pure function of the seed, the report's id and both records. */
  write: (reportId: number, keyword: KeywordRecord, project: ProjectRecord) => H3TextBlock[]
}

/** Loads the words of a locale and what writes texts with them; its seed is the world's. */
export async function loadTextWriter(locale: Locale, seed: string): Promise<TextWriter> {
  const { copy } = await loadWords(locale)
  return {
    write: (reportId, keyword, project) => {
      const random = createRandom(seed, 'texts', project.id)
      const trade = random.pick(copy.trades)
      const city = random.pick(copy.cities)
      const company = project.company_name ?? project.name
      return generateContent(reportId, keyword, { trade, city, company }, { seed, copy })
    },
  }
}

/** The names of the languages that have copy, in English and in the language itself. */
const LANGUAGES: Record<string, Locale> = {
  danish: 'da',
  dansk: 'da',
  german: 'de',
  deutsch: 'de',
  english: 'en',
  dutch: 'nl',
  nederlands: 'nl',
  swedish: 'sv',
  svenska: 'sv',
}

/** The locale whose copy suits a language's label (`Danish`, `English (UK)`): English where none does. */
export function localeOfLanguage(label: string | undefined): Locale {
  const [name = ''] = (label ?? '')
    .trim()
    .toLowerCase()
    .split(/[^\p{L}]/u)
  return (Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined) ?? 'en'
}
