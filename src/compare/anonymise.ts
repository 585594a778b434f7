import { createHmac } from 'node:crypto'
import { decodePercent } from '../engine/router.ts'
import type { Locale } from '../contract/locales.ts'
import type { FixtureInput } from '../fixtures/fixture.ts'
import { nameAgency } from '../records/generation/people.ts'
import { toSlug } from '../records/generation/slug.ts'
import { localeOf } from '../records/generation/text-writer.ts'
import { loadWords } from '../records/generation/words.ts'
import type { LocaleWords } from '../records/generation/words.ts'

type Projects = NonNullable<FixtureInput['projects']>
type Project = Projects[number]
type WrittenReport = NonNullable<Project['reports']>[number]

/**
 * Replaces names, texts and addresses with generated ones of the same language and shape. Equal values stay equal, even across
 * fixtures if `key` is the same. Ids, numbers, dates, states, plans, roles, schemes and labels are kept.
 */
export async function anonymise(fixture: FixtureInput, key: Buffer): Promise<FixtureInput> {
  const { projects = [], agencies = [], users = [], tokens = [] } = fixture
  const localeOfProject = localesIn(fixture)
  const anonymisers = new Map<Locale, Anonymiser>()
  const pseudonyms = new Pseudonyms(key)
  const anonymiserOf = async (locale: Locale): Promise<Anonymiser> => {
    const anonymiser =
      anonymisers.get(locale) ?? new Anonymiser(await loadWords(locale), pseudonyms)
    anonymisers.set(locale, anonymiser)
    return anonymiser
  }
  const [first] = projects
  const ofAgency = await anonymiserOf(first ? localeOfProject(first) : 'en')
  const written: Project[] = []
  for (const project of projects) {
    written.push(anonymiseProject(project, await anonymiserOf(localeOfProject(project))))
  }
  return {
    ...fixture,
    agencies: agencies.map(({ report_cc_email: email, ...agency }) => ({
      ...agency,
      name: ofAgency.agency(agency.name),
      ...(email !== undefined && { report_cc_email: email && ofAgency.email(email) }),
    })),
    users: users.map((user) => ({ ...user, name: ofAgency.person(user.name) })),
    tokens: tokens.map((token) => ({ ...token, name: token.token })),
    projects: written,
  }
}

function localesIn({ languages = [], countries = [] }: FixtureInput): (project: Project) => Locale {
  const labelIn = (
    labels: readonly { id: number; label: string }[],
    id: number | null | undefined,
  ) => labels.find((label) => label.id === id)?.label
  return ({ text_language, country }) =>
    localeOf(labelIn(languages, text_language), labelIn(countries, country))
}

function anonymiseProject(project: Project, anonymiser: Anonymiser): Project {
  const { keywords = [], reports = [], client_emails = [] } = project
  const { company_name: company, domain, contact_email: email } = project
  return {
    ...project,
    name: anonymiser.company(project.name),
    ...(company !== undefined && { company_name: company && anonymiser.company(company) }),
    ...(domain !== undefined && { domain: domain && anonymiser.address(domain) }),
    ...(email !== undefined && { contact_email: email && anonymiser.email(email) }),
    client_emails: client_emails.map((one) => anonymiser.email(one)),
    keywords: keywords.map(({ url, ...keyword }) => ({
      ...keyword,
      keyword: anonymiser.text(keyword.keyword),
      ...(url !== undefined && { url: url && anonymiser.address(url) }),
    })),
    reports: reports.map((report) => anonymiseReport(report, anonymiser)),
  }
}

function anonymiseReport(report: WrittenReport, anonymiser: Anonymiser): WrittenReport {
  const { report_name: name, pdf_link, web_link, content } = report
  const texts = (value: unknown): unknown => {
    if (typeof value === 'string') return anonymiser.text(value)
    if (Array.isArray(value)) return value.map(texts)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, texts(part)]))
  }
  return {
    ...report,
    ...(name !== undefined && { report_name: name && anonymiser.text(name) }),
    ...(pdf_link !== undefined && { pdf_link: pdf_link && anonymiser.address(pdf_link) }),
    ...(web_link !== undefined && { web_link: web_link && anonymiser.address(web_link) }),
    ...(content !== undefined && { content: texts(content) as NonNullable<typeof content> }),
  }
}

/** Generated names for texts. Different texts get different names. */
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

  /** Returns the pseudonym of a text, which `make` derives from a number. Tries up to 100 numbers to find an unused one. */
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

/** Replacements for names and texts, from the words of a locale. */
class Anonymiser {
  readonly #words: LocaleWords
  readonly #pseudonyms: Pseudonyms
  /** Words of the locale's texts, indexed by length. */
  readonly #byLength: readonly (readonly string[])[]

  constructor(words: LocaleWords, pseudonyms: Pseudonyms) {
    this.#words = words
    this.#pseudonyms = pseudonyms
    this.#byLength = wordsByLength(words)
  }

  /**
   * Replaces each word of a text with a word of about the same length, and the digits of its numbers with other digits. Keeps
   * HTML tags without their attributes.
   */
  text(source: string): string {
    return source.replaceAll(TEXT_PART, (part, end?: string, tag?: string, empty?: string) => {
      if (tag !== undefined) return `<${end ?? ''}${tag.toLowerCase()}${empty ?? ''}>`
      if (part.startsWith('&')) return part
      return /^\p{N}/u.test(part) ? this.#digits(part) : this.#word(part)
    })
  }

  person(name: string): string {
    return this.#pseudonyms.pseudonymOf('person', name, (number) => {
      const { first_names: first, surnames } = this.#words
      return `${pick(first, number)} ${pick(surnames, Math.floor(number / first.length))}`
    })
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
    const local = this.#pseudonyms.pseudonymOf('mailbox', address, (number) => {
      const { first_names: first, surnames } = this.#words
      const surname = pick(surnames, Math.floor(number / first.length))
      return `${toSlug(pick(first, number))}.${toSlug(surname)}`
    })
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
    const name = this.#pseudonyms.pseudonymOf(
      'host',
      host.slice(www.length).toLowerCase(),
      (number) => {
        return `${toSlug(this.#companyName(number)).slice(0, 60) || 'company'}.example`
      },
    )
    return www + name
  }

  #companyName(number: number): string {
    const { trades, surnames, cities } = this.#words
    const patterns = trades.flatMap(({ companies }) => companies)
    const pattern = pick(patterns, number)
    const filling = Math.floor(number / patterns.length)
    return pattern
      .replace('{surname}', pick(surnames, filling))
      .replace('{city}', pick(cities, filling))
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

  /** Returns the words of this length, or of the nearest length for which there are words. */
  #ofLength(length: number): readonly string[] {
    const longest = this.#byLength.length - 1
    for (let distance = 0; distance <= longest; distance += 1) {
      const near = [length - distance, length + distance].map((one) => this.#byLength[one] ?? [])
      const found = near.find((words) => words.length > 0)
      if (found) return found
    }
    return this.#byLength[longest] ?? ['text']
  }
}

function wordsByLength({ trades }: LocaleWords): string[][] {
  const found = new Set<string>()
  JSON.stringify(trades, (_, value: unknown) => {
    if (typeof value === 'string') {
      for (const word of value.replaceAll(/\{\w+\}/g, '').match(/\p{L}+/gu) ?? [])
        found.add(word.toLowerCase())
    }
    return value
  })
  const byLength: string[][] = []
  for (const word of found) {
    const { length } = Array.from(word)
    byLength[length] = [...(byLength[length] ?? []), word]
  }
  return Array.from(byLength, (words) => words ?? [])
}

function pick<Item>(items: readonly Item[], number: number): Item {
  return items[number % items.length] as Item
}
