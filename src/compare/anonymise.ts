import { createHmac } from 'node:crypto'
import { decodePercent } from '../engine/router.ts'
import type { Locale } from '../contract/locales.ts'
import { isMap } from '../contract/read-fields.ts'
import type { FixtureInput } from '../fixtures/fixture.ts'
import { nameAgency } from '../records/generation/people.ts'
import { slugOf, toSlug } from '../records/generation/slug.ts'
import { localeOf } from '../records/generation/text-writer.ts'
import { loadWords } from '../records/generation/words.ts'
import type { LocaleWords } from '../records/generation/words.ts'

type Project = NonNullable<FixtureInput['projects']>[number]
type Kind = 'company' | 'person' | 'agency' | 'email' | 'address' | 'text'

/**
 * Kinds of the strings to replace, by field. A kind applies to all strings in its field, at any depth. Strings in other fields
 * are kept.
 */
type Kinds = Readonly<Record<string, Kind>>

const OF_PROJECT: Kinds = {
  name: 'company',
  company_name: 'company',
  domain: 'address',
  contact_email: 'email',
  client_emails: 'email',
  keyword: 'text',
  url: 'address',
  report_name: 'text',
  pdf_link: 'address',
  web_link: 'address',
  content: 'text',
}

/**
 * Replaces names, texts, e-mail addresses and URLs with generated ones in the language of their project.
 * Names of agencies and users are in the language of the first project. The name of a token becomes its bearer value. Ids,
 * numbers, dates, states, plans, roles, schemes and labels are kept.
 *
 * @param key secret from which replacements are derived. With the same key, equal values in the same language have equal
 * replacements, nearly always even in different fixtures.
 */
export async function anonymise(fixture: FixtureInput, key: Buffer): Promise<FixtureInput> {
  const { projects = [], agencies = [], users = [], tokens = [] } = fixture
  const locales = projects.map((project) => localeIn(fixture, project))
  const [ofAgency = 'en'] = locales
  const pseudonyms = new Pseudonyms(key)
  const anonymisers = new Map<Locale, Anonymiser>()
  for (const locale of new Set([ofAgency, ...locales])) {
    anonymisers.set(locale, new Anonymiser(await loadWords(locale), pseudonyms))
  }
  const replace = <Item>(item: Item, kinds: Kinds, locale = ofAgency) =>
    replaceIn(item, kinds, anonymisers.get(locale) as Anonymiser) as Item
  return {
    ...fixture,
    agencies: replace(agencies, { name: 'agency', report_cc_email: 'email' }),
    users: replace(users, { name: 'person' }),
    tokens: tokens.map((token) => ({ ...token, name: token.token })),
    projects: projects.map((project, index) => replace(project, OF_PROJECT, locales[index])),
  }
}

function localeIn(
  { languages = [], countries = [] }: FixtureInput,
  { text_language, country }: Project,
): Locale {
  return localeOf(
    languages.find(({ id }) => id === text_language)?.label,
    countries.find(({ id }) => id === country)?.label,
  )
}

/** Replaces the strings in a value. `kind` applies to all of them; if omitted, `kinds` decides by field. */
function replaceIn(value: unknown, kinds: Kinds, anonymiser: Anonymiser, kind?: Kind): unknown {
  if (typeof value === 'string') {
    return kind === undefined || value === '' ? value : anonymiser[kind](value)
  }
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, kinds, anonymiser, kind))
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, part]) => [
      field,
      replaceIn(part, kinds, anonymiser, kind ?? kinds[field]),
    ]),
  )
}

class Pseudonyms {
  readonly #key: Buffer
  readonly #byText = new Map<string, string>()
  readonly #used = new Set<string>()

  constructor(key: Buffer) {
    this.#key = key
  }

  /** Returns a 48-bit number that depends only on the key, the kind and the text. */
  numberOf(kind: string, text: string): number {
    return createHmac('sha256', this.#key).update(`${kind}\0${text}`).digest().readUIntBE(0, 6)
  }

  /**
   * Returns the pseudonym of a text, which `make` derives from `numberOf`. Tries up to 100 numbers to avoid the pseudonyms of
   * other texts of the kind.
   */
  pseudonymOf(kind: string, text: string, make: (number: number) => string): string {
    const known = this.#byText.get(`${kind}\0${text}`)
    if (known !== undefined) return known
    let name = make(this.numberOf(kind, text))
    for (let attempt = 1; this.#used.has(`${kind}\0${name}`) && attempt < 100; attempt += 1) {
      name = make(this.numberOf(kind, `${text}\0${attempt}`))
    }
    this.#byText.set(`${kind}\0${text}`, name)
    this.#used.add(`${kind}\0${name}`)
    return name
  }
}

const TAGS =
  'h[1-6]|p|br|hr|ul|ol|li|a|b|i|em|strong|div|span|table|thead|tbody|tr|td|th|img|section|article'
/** Matches an HTML tag, an HTML entity, a word or a number. */
const TEXT_PART = new RegExp(
  String.raw`<(\/?)(${TAGS})(?:\s[^<>]*)?(\/?)>|&(?:amp|lt|gt|quot|nbsp|#\d{1,4});|[\p{L}\p{M}]+|\p{N}+`,
  'giu',
)

class Anonymiser {
  readonly #words: LocaleWords
  readonly #pseudonyms: Pseudonyms
  /** Words of the locale's texts in lower case, by their number of characters. */
  readonly #byLength: ReadonlyMap<number, readonly string[]>

  constructor(words: LocaleWords, pseudonyms: Pseudonyms) {
    this.#words = words
    this.#pseudonyms = pseudonyms
    this.#byLength = wordsByLength(words)
  }

  /**
   * Replaces each word with a word of about the same length, and the digits of each number with other digits. Keeps HTML
   * entities and common HTML tags, the tags without their attributes.
   */
  text(source: string): string {
    return source.replaceAll(TEXT_PART, (part, end?: string, tag?: string, empty?: string) => {
      if (tag !== undefined) return `<${end ?? ''}${tag.toLowerCase()}${empty ?? ''}>`
      if (part.startsWith('&')) return part
      return /^\p{N}/u.test(part) ? this.#digits(part) : this.#word(part)
    })
  }

  person(name: string): string {
    return this.#pseudonyms.pseudonymOf('person', name, (number) =>
      this.#personNames(number).join(' '),
    )
  }

  agency(name: string): string {
    const { names, kinds } = this.#words.agencies
    return this.#pseudonyms.pseudonymOf('agency', name, (number) =>
      nameAgency(number % (names.length * kinds.length), this.#words, ''),
    )
  }

  company(name: string): string {
    return this.#pseudonyms.pseudonymOf('company', name, (number) => this.#companyName(number))
  }

  email(address: string): string {
    const at = address.lastIndexOf('@')
    if (at === -1) return this.text(address)
    const local = this.#pseudonyms.pseudonymOf('mailbox', address, (number) =>
      this.#personNames(number)
        .map((name) => slugOf(name, this.#words))
        .join('.'),
    )
    return `${local}@${this.#host(address.slice(at + 1))}`
  }

  /** Replaces a URL or a host. Any other text is replaced as by `text`. */
  address(source: string): string {
    const [, scheme, host, port = '', rest = ''] =
      /^(https?:\/\/|\/\/|)([^\s/?#:@]+\.[^\s/?#:@]+)(:\d+)?([/?#].*)?$/isu.exec(source) ?? []
    if (host === undefined) return this.text(source)
    const path = decodePercent(rest).replaceAll(TEXT_PART, (part) =>
      /^\p{N}/u.test(part) ? this.#digits(part) : toSlug(this.#word(part)) || 'page',
    )
    return `${scheme}${this.#host(host)}${port}${encodeURI(path)}`
  }

  #host(host: string): string {
    const [www = ''] = /^www\./i.exec(host) ?? []
    const bare = host.slice(www.length).toLowerCase()
    const replacement = this.#pseudonyms.pseudonymOf('host', bare, (number) => {
      const latin = this.#companyName(number, (name) => slugOf(name, this.#words))
      return `${toSlug(latin).slice(0, 60) || 'company'}.example`
    })
    return www + replacement
  }

  #personNames(number: number): string[] {
    const { first_names: first, surnames } = this.#words
    return [pick(first, number), pick(surnames, Math.floor(number / first.length))]
  }

  #companyName(number: number, spell = (name: string) => name): string {
    const { trades, surnames, cities } = this.#words
    const patterns = trades.flatMap(({ companies }) => companies)
    const pattern = pick(patterns, number)
    const filling = Math.floor(number / patterns.length)
    return pattern
      .replace('{surname}', spell(pick(surnames, filling)))
      .replace('{city}', spell(pick(cities, filling)))
  }

  #word(source: string): string {
    const lower = source.toLowerCase()
    const words = this.#ofLength(Array.from(source).length)
    const word = pick(words, this.#pseudonyms.numberOf('word', lower))
    if (source === lower) return word
    return source === source.toUpperCase() && source.length > 1
      ? word.toUpperCase()
      : word.charAt(0).toUpperCase() + word.slice(1)
  }

  #digits(source: string): string {
    const number = this.#pseudonyms.numberOf('digits', source)
    return String(number).padStart(source.length, '7').slice(-source.length)
  }

  /** Returns the words of `length` characters; if there are none, those of the nearest length. */
  #ofLength(length: number): readonly string[] {
    const [nearest = 0] = [...this.#byLength.keys()].toSorted(
      (one, other) => Math.abs(one - length) - Math.abs(other - length),
    )
    return this.#byLength.get(nearest) ?? []
  }
}

function wordsByLength({ trades }: LocaleWords): Map<number, string[]> {
  const words = new Set<string>()
  JSON.stringify(trades, (_, value: unknown) => {
    const text = typeof value === 'string' ? value.replaceAll(/\{\w+\}/g, '').toLowerCase() : ''
    for (const [word] of text.matchAll(/\p{L}+/gu)) words.add(word)
    return value
  })
  const byLength = new Map<number, string[]>()
  for (const word of words) {
    const { length } = Array.from(word)
    byLength.set(length, [...(byLength.get(length) ?? []), word])
  }
  return byLength
}

function pick<Item>(items: readonly Item[], number: number): Item {
  return items[number % items.length] as Item
}
