import type { Faker } from '@faker-js/faker'
import { memoizeByObject } from '../../contract/cache.ts'
import { LANGUAGES } from './languages/index.ts'
import type { Locale } from './locales.ts'
import type { LocaleTexts, TradeTexts } from './texts.ts'
import { TRADES } from './trades.ts'
import type { TradeName, Traits } from './trades.ts'

/** The words that names and texts of one locale are picked from. */
export interface Words extends Omit<LocaleTexts, 'trades'> {
  trades: readonly Trade[]
  /** Its first names in two halves, so that nobody of an agency has the name of a contact of its customers. */
  people: { agencies: readonly string[]; companies: readonly string[] }
  /** Faker with the data of the locale; to be seeded before use. */
  faker: Faker
}

/** A kind of business with its texts. */
export type Trade = Traits & TradeTexts & { key: TradeName }

export async function loadWords(locale: Locale): Promise<Words> {
  const { loadTexts, loadFaker } = LANGUAGES[locale]
  const [texts, faker] = await Promise.all([loadTexts(), loadFaker()])
  const people = {
    agencies: texts.first_names.filter((_, index) => index % 2 === 0),
    companies: texts.first_names.filter((_, index) => index % 2 === 1),
  }
  return { ...texts, trades: tradesOf(texts), people, faker: separate(faker) }
}

/** The same objects for all worlds, which share what is computed from them. */
const tradesOf = memoizeByObject(({ trades }: LocaleTexts): readonly Trade[] => {
  const names = Object.keys(TRADES) as TradeName[]
  return names.map((key) => ({ key, ...TRADES[key], ...trades[key] }))
})

/** Another instance with the same data: the exported one may be in use by a test, which has seeded it. */
function separate({ constructor, rawDefinitions }: Faker): Faker {
  const OwnFaker = constructor as typeof Faker
  return new OwnFaker({ locale: rawDefinitions })
}
