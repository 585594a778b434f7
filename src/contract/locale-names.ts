import { COUNTRIES, LOCALES } from './locales.ts'

/** Pairs of locale and country name, for forms. */
export const LOCALE_CHOICES = LOCALES.map((locale) => [locale, COUNTRIES[locale].label] as const)

/** The locales as one text: `Austria de_AT, Canada en_CA, …`. */
export const LOCALES_BY_COUNTRY = LOCALE_CHOICES.map(
  ([locale, label]) => `${label} ${locale}`,
).join(', ')
