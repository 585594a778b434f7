import { memoizeByObject } from '../../contract/cache.ts'
import { LANGUAGES } from './languages/index.ts'
import type { Locale } from './locales.ts'
import type { LocaleTexts, TradeTexts } from './texts.ts'
import { TRADES } from './trades.ts'
import type { TradeName, Traits } from './trades.ts'

/** The words that names and texts of one locale are picked from. */
export interface LocaleWords extends Omit<LocaleTexts, 'trades'> {
  trades: readonly Trade[]
  /** Its first names in two halves, so that nobody at an agency has the first name of a contact at one of its customers. */
  people: { agencies: readonly string[]; companies: readonly string[] }
}

/** A kind of business with its texts. */
export type Trade = Traits & TradeTexts & { key: TradeName }

export async function loadWords(locale: Locale): Promise<LocaleWords> {
  const texts = await LANGUAGES[locale].loadTexts()
  const people = {
    agencies: texts.first_names.filter((_, index) => index % 2 === 0),
    companies: texts.first_names.filter((_, index) => index % 2 === 1),
  }
  return { ...texts, trades: tradesOf(texts), people }
}

/** The same objects for all worlds, which share what is computed from them. */
const tradesOf = memoizeByObject(({ trades }: LocaleTexts): readonly Trade[] => {
  const names = Object.keys(TRADES) as TradeName[]
  return names.map((key) => ({ key, ...TRADES[key], ...trades[key] }))
})
