import type { TokenRecord } from '../contract/token.ts'
import { withoutSuffix, withoutIsolatedValues } from '../records/bearer-tokens.ts'
import type { Match } from './aho-corasick.ts'
import { BearerFinder } from './bearer-finder.ts'
import type { BearerSearch, GivenValues } from './bearer-finder.ts'

/** Maximum total size of the current and earlier bearer values of a world, in characters. */
const MAXIMUM_CHARACTERS = 3_000_000
/** Assumed size of a bearer value in addition to its length, in characters. */
const VALUE_CHARACTERS = 20

/** The bearer values that a world must not show: those of its own tokens, and those in `GivenValues`. */
export class Secrets {
  readonly #tokenSuffix: string
  readonly #given: GivenValues
  readonly #owners = new Map<string, number>()
  #length = 0
  /** Created on first use, and dropped when a value is added or forgotten. */
  #redactor: Redactor | undefined

  /** `givenValues` is shared by all worlds of a process. */
  constructor({ tokenSuffix, givenValues }: { tokenSuffix: string; givenValues: GivenValues }) {
    this.#tokenSuffix = tokenSuffix
    this.#given = givenValues
  }

  /**
   * Bearer values of the world since its start, each with the id of its token. Beyond `MAXIMUM_CHARACTERS`, the oldest values that
   * no token has any more are forgotten.
   */
  get owners(): ReadonlyMap<string, number> {
    return this.#owners
  }

  /** Bearer values that commands gave to isolated worlds, and the admin key. */
  get others(): BearerSearch {
    return this.#given
  }

  keep(tokens: readonly TokenRecord[]): void {
    for (const { id, token } of tokens) {
      if (!token.endsWith(this.#tokenSuffix)) this.#given.add(token)
      for (const value of [token, withoutSuffix(token)]) {
        if (!this.#owners.has(value)) this.#own(value, id)
      }
    }
    if (this.#length > MAXIMUM_CHARACTERS) this.#forgetAllBut(tokens)
  }

  #forgetAllBut(tokens: readonly TokenRecord[]): void {
    const kept = new Set(tokens.flatMap(({ token }) => [token, withoutSuffix(token)]))
    for (const value of this.#owners.keys()) {
      if (!kept.has(value)) this.#disown(value)
      if (this.#length <= MAXIMUM_CHARACTERS / 2) break
    }
  }

  #disown(value: string): void {
    this.#owners.delete(value)
    this.#length -= VALUE_CHARACTERS + value.length
    this.#redactor = undefined
  }

  #own(value: string, id: number): void {
    this.#owners.set(value, id)
    this.#length += VALUE_CHARACTERS + value.length
    this.#redactor = undefined
  }

  /** Replaces all bearer values of the world with those of `tokens`. */
  restart(tokens: readonly TokenRecord[]): void {
    this.#owners.clear()
    this.#length = 0
    this.#redactor = undefined
    this.keep(tokens)
  }

  /** Replaces all bearer values of the world with the saved `owners` of other `Secrets`. */
  resume(owners: Iterable<readonly [value: string, id: number]>): void {
    this.restart([])
    for (const [value, id] of owners) this.#own(value, id)
  }

  get redactor(): Redactor {
    this.#redactor ??= new Redactor({
      placeholders: new Map([...this.#owners].map(([value, id]) => [value, `[token ${id}]`])),
      others: this.#given,
      foreign: '[token]',
    })
    return this.#redactor
  }
}

interface RedactedValues {
  placeholders: ReadonlyMap<string, string>
  /** Finds the values that `foreign` replaces; omitted if there are none. */
  others?: BearerSearch | undefined
  /** The placeholder for all values without a placeholder of their own. */
  foreign: string
}

/** Plain data in which placeholders replace bearer values. */
export interface Redacted<Data> {
  data: Data
  /**
   * True if a string has changed. For data of the world, a field `token` that consists of a bearer value of the world does not
   * count.
   */
  isAltered: boolean
}

/** Replaces bearer values with placeholders wherever they might be shown or stored. */
export class Redactor {
  readonly #placeholders: ReadonlyMap<string, string>
  readonly #foreign: string
  readonly #finders: readonly BearerSearch[]

  constructor({ placeholders, others, foreign }: RedactedValues) {
    this.#placeholders = placeholders
    this.#foreign = foreign
    this.#finders = [new BearerFinder(placeholders.keys()), ...(others ? [others] : [])]
  }

  /** Replaces bearer values in text. Short values are replaced only as whole words. */
  inText(text: string): string {
    const found = this.#finders.flatMap((finder) => finder.inText(text))
    return withoutIsolatedValues(this.#replace(text, found), this.#foreign)
  }

  /**
   * Replaces bearer values in a request target, percent-encoded or not. If a value is found only by decoding, returns the decoded
   * target as formatted by `write`.
   */
  inTarget(target: string, write = (decoded: string): string => decoded): string {
    const plain = this.inText(target)
    // Values that contain a percent sign are replaced before decoding. All others are replaced after decoding, because the
    // beginning of an encoded value may itself be a value.
    const encoded = this.#finders.flatMap((finder) => finder.inEncoded(target))
    const decoded = this.inText(decode(this.#replace(target, encoded)))
    return decode(plain) === decoded ? plain : write(decoded)
  }

  inTargets<Targets extends { [Name in keyof Targets]?: string | undefined }>(
    targets: Targets,
    write: (decoded: string) => string,
  ): Redacted<Targets> {
    const entries = Object.entries<string>(targets as Record<string, string>).map(
      ([name, text]) => [name, this.inTarget(text, write)],
    )
    const data = Object.fromEntries(entries) as Targets
    const names = Object.keys(targets) as (keyof Targets)[]
    return { data, isAltered: names.some((name) => data[name] !== targets[name]) }
  }

  /** Replaces bearer values in all strings of plain data. */
  inData<Data>(data: Data): Redacted<Data> {
    let isAltered = false
    const replace = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') {
        const own = key === 'token' ? this.#placeholders.get(value) : undefined
        if (own !== undefined) return own
        const replaced = this.inText(value)
        isAltered ||= replaced !== value
        return replaced
      }
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map((item) => replace(item))
      const entries = Object.entries(value).map(([name, item]) => [name, replace(item, name)])
      return Object.fromEntries(entries) as unknown
    }
    return { data: replace(data) as Data, isAltered }
  }

  /**
   * Returns an Authorization header without bearer values, with its spaces as sent. Schemes that are not well known become
   * `unknown`.
   */
  inAuthorization(header: string): string {
    const [first = '', ...rest] = header.split(' ')
    const scheme = first === '' ? first : schemeOf(first)
    const bearers = rest.map((word) => word && (this.#placeholders.get(word) ?? this.#foreign))
    return [scheme, ...bearers].join(' ')
  }

  /**
   * Replaces overlapping values together, with the placeholder of the first one; if several begin there, with that of the longest.
   */
  #replace(text: string, found: readonly Match[]): string {
    let shown = ''
    let copied = 0
    for (const { start, end } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      if (start >= copied) {
        const placeholder = this.#placeholders.get(text.slice(start, end)) ?? this.#foreign
        shown += text.slice(copied, start) + placeholder
      }
      copied = Math.max(copied, end)
    }
    return shown + text.slice(copied)
  }
}

/** Well-known schemes. No other first word of a header is shown, because it may be a bearer value. */
const SCHEME = /^(?:basic|bearer|digest|dpop|hoba|mutual|negotiate|oauth|token|apikey)(?= |$)/i

/** Returns the scheme of an Authorization header as sent; `unknown` if the first word may be a secret. */
export function schemeOf(authorization: string): string {
  return SCHEME.exec(authorization)?.[0] ?? 'unknown'
}

function decode(text: string): string {
  return text.replaceAll(/(?:%[\dA-F]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch (error) {
      if (error instanceof URIError) return encoded
      throw error
    }
  })
}
