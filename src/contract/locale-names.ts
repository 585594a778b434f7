import { COUNTRIES, LOCALES } from './locales.ts'

/** Locales after their countries, for descriptions of options: `Austria de_AT, Canada en_CA, …`. */
export const LOCALES_BY_COUNTRY = LOCALES.map(
  (locale) => `${COUNTRIES[locale].label} ${locale}`,
).join(', ')
