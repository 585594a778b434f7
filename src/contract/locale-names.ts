import { COUNTRIES, LOCALES } from './locales.ts'

/** The locales as one text: `Austria de_AT, Canada en_CA, …`. */
export const LOCALES_BY_COUNTRY = LOCALES.map(
  (locale) => `${COUNTRIES[locale].label} ${locale}`,
).join(', ')
