import { COUNTRIES, LOCALES } from './locales.ts'

/** Each locale with its country, by country, for forms. */
export const LOCALE_CHOICES = LOCALES.map((locale) => [locale, COUNTRIES[locale].label] as const)

/** The locales in a sentence: `Austria de_AT, Canada en_CA, …`. */
export const LOCALES_BY_COUNTRY = LOCALE_CHOICES.map(
  ([locale, label]) => `${label} ${locale}`,
).join(', ')
