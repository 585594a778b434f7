import { upperFirst } from '../../src/contract/text.ts'
import { COUNTRIES, LOCALES, TEXT_LOCALES } from '../../src/contract/locales.ts'
import { LANGUAGES } from '../../src/records/generation/languages/index.ts'
import { code, table } from './markdown.ts'

/** The locales of generated worlds, by the language of their texts. */
export function countryTable(): string {
  const rows = TEXT_LOCALES.map((texts) => {
    const own = LOCALES.filter((locale) => COUNTRIES[locale].texts === texts)
    const countries = own.map((locale) => `${COUNTRIES[locale].label} ${code(locale)}`)
    return [upperFirst(LANGUAGES[texts].names[0] ?? ''), countries.join(', ')]
  })
  return table(['texts in', 'countries and their locales'], rows)
}
