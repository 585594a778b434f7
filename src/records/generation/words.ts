import { memoizeByObject } from '../../contract/cache.ts'
import { NAMES } from './countries/index.ts'
import { LANGUAGES } from './languages/index.ts'
import { COUNTRIES } from '../../contract/locales.ts'
import type { Locale } from '../../contract/locales.ts'
import type { CountryNames } from './names.ts'
import type { KeywordPattern, LocaleTexts, TradeTexts } from './texts.ts'
import { TRADES } from './trades.ts'
import type { TradeName, Traits } from './trades.ts'

export interface LocaleWords extends Omit<LocaleTexts, 'trades'> {
  trades: readonly Trade[]
  /** First names in two halves, so that no user of an agency has the first name of a contact at one of its customers. */
  people: { agencies: readonly string[]; companies: readonly string[] }
  /** Template of a full name, such as `{first_name} {surname}`. */
  fullName: string
  /**
   * First names of women, and pairs of masculine and feminine endings of surnames; undefined if the language has no feminine
   * surnames.
   */
  feminine?:
    | { names: ReadonlySet<string>; endings: readonly [ofMen: string, ofWomen: string][] }
    | undefined
  /** Latin forms of the names that `toSlug` would get wrong. */
  slugs: Readonly<Record<string, string>>
}

export type Trade = Traits & TradeTexts & { key: TradeName }

export async function loadWords(locale: Locale): Promise<LocaleWords> {
  const texts = await loadCountryTexts(locale)
  const people = {
    agencies: texts.first_names.filter((_, index) => index % 2 === 0),
    companies: texts.first_names.filter((_, index) => index % 2 === 1),
  }
  return {
    slugs: {},
    ...texts,
    fullName: texts.fullName ?? '{first_name} {surname}',
    trades: tradesOf(texts),
    people,
  }
}

type CountryTexts = LocaleTexts &
  Partial<Pick<LocaleWords, 'feminine' | 'slugs'>> & { fullName?: string | undefined }

/** Texts of a language, adapted to other countries. Cached, so that worlds share the values derived from them. */
const TEXTS_OF_COUNTRIES = new WeakMap<CountryNames, CountryTexts>()

async function loadCountryTexts(locale: Locale): Promise<CountryTexts> {
  const texts = await LANGUAGES[COUNTRIES[locale].texts].loadTexts()
  if (!isNamed(locale)) return texts
  const names = await NAMES[locale]()
  const own = TEXTS_OF_COUNTRIES.get(names) ?? withNames(forCountry(texts, names), names)
  TEXTS_OF_COUNTRIES.set(names, own)
  return own
}

function isNamed(locale: Locale): locale is keyof typeof NAMES {
  return locale in NAMES
}

/** Adapts the texts of a language to another country: removes parts that are wrong there, and changes the spelling. */
function forCountry(texts: LocaleTexts, { struck, spellings = {} }: CountryNames): LocaleTexts {
  const parts = [...(texts.home_only ?? []), ...struck].map((part) => part.toLowerCase())
  const replacements = Object.entries(spellings).map(
    ([pattern, text]) => [new RegExp(pattern, 'g'), text] as const,
  )
  const isWrong = (text: string) => parts.some((part) => text.toLowerCase().includes(part))
  const adapt = (item: string | Partial<KeywordPattern>): unknown[] => {
    const text = typeof item === 'string' ? item : item.typed
    if (text === undefined || !isWrong(text)) return [item]
    // Keywords refer to paragraphs by number, so a removed paragraph leaves a placeholder without a value.
    return text.includes('. ') ? ['{home_only}'] : []
  }
  return JSON.parse(JSON.stringify(texts), (_, value: unknown) => {
    if (Array.isArray(value)) return value.flatMap(adapt)
    if (typeof value !== 'string') return value
    return replacements.reduce((text, [pattern, other]) => text.replace(pattern, other), value)
  }) as LocaleTexts
}

/** Replaces the names in the texts of a language with those of another country. */
function withNames(
  { currency, address, ...texts }: LocaleTexts,
  { first_names, feminine, ...names }: CountryNames,
): CountryTexts {
  const { women, men } = first_names
  return {
    ...texts,
    country: names.country,
    first_names: [...women, ...men],
    surnames: [...names.surnames],
    cities: [...names.cities],
    towns: [],
    streets: [...(names.streets ?? [])],
    address: names.address ?? address,
    currency: names.prices && currency,
    fullName: names.full_name,
    slugs: names.slugs,
    feminine: feminine && {
      names: new Set(women),
      endings: Object.entries(feminine).toSorted(([one], [other]) => other.length - one.length),
    },
  }
}

/** Memoized, so that worlds share values derived from the trades. */
const tradesOf = memoizeByObject(({ trades }: LocaleTexts): readonly Trade[] => {
  const names = Object.keys(TRADES) as TradeName[]
  return names.map((key) => ({ key, ...TRADES[key], ...trades[key] }))
})
