import { withoutIsolatedValues } from '../records/bearer-tokens.ts'
import type { Match } from './aho-corasick.ts'
import { BearerFinder } from './bearer-finder.ts'
import type { BearerSearch } from './bearer-finder.ts'

/** The bearer values that a redactor replaces. */
interface RedactedValues {
  /** The placeholder of each bearer value that has its own. */
  placeholders: ReadonlyMap<string, string>
  /** Finds the values of other worlds, which have no placeholder of their own; omitted if there are none. */
  others?: BearerSearch | undefined
  /** The placeholder for these, and for every value of an isolated world. */
  foreign: string
}

/** Plain data with placeholders in it. */
export interface Redacted<Data> {
  data: Data
  /** Whether there was a bearer value where none belongs, such as in a name. */
  isAltered: boolean
}

/** Replaces bearer values by placeholders wherever they may be shown or stored. */
export class Redactor {
  readonly #placeholders: ReadonlyMap<string, string>
  readonly #foreign: string
  readonly #finders: readonly BearerSearch[]

  constructor({ placeholders, others, foreign }: RedactedValues) {
    this.#placeholders = placeholders
    this.#foreign = foreign
    this.#finders = [new BearerFinder(placeholders.keys()), ...(others ? [others] : [])]
  }

  /** A text without bearer values; a short one is replaced only where it is a word of its own. */
  inText(text: string): string {
    const found = this.#finders.flatMap((finder) => finder.inText(text))
    return withoutIsolatedValues(this.#replace(text, found), this.#foreign)
  }

  /**
   * The same for a request target, percent-encoded or not; unchanged where it has no bearer value. A target whose value is
   * only found by decoding is returned decoded, in the form that `write` gives it.
   */
  inTarget(target: string, write = (decoded: string): string => decoded): string {
    const plain = this.inText(target)
    // Values that look percent-encoded are replaced before decoding, and all others only after it, because the beginning of
    // an encoded value may be a value itself.
    const encoded = this.#finders.flatMap((finder) => finder.inEncoded(target))
    const decoded = this.inText(decode(this.#replace(target, encoded)))
    return decode(plain) === decoded ? plain : write(decoded)
  }

  /** The same for each of several targets. */
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

  /** The same for every string of plain data; a bearer value belongs in a field `token`. */
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

  /** An Authorization header, with its scheme and spaces as they were sent. */
  inAuthorization(header: string): string {
    const [first = '', ...rest] = header.split(' ')
    const scheme = first === '' ? first : schemeOf(first)
    const bearers = rest.map((word) => word && (this.#placeholders.get(word) ?? this.#foreign))
    return [scheme, ...bearers].join(' ')
  }

  /** Values that overlap are replaced together, by the placeholder of the first one, and of the longest that begins there. */
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

/** A header without a scheme may be a bare bearer value, which must not be shown: only these schemes are. */
const SCHEME = /^(?:basic|bearer|digest|dpop|hoba|mutual|negotiate|oauth|token|apikey)(?= |$)/i

/** The scheme of an Authorization header as it was sent; `unknown` where it may be a secret. */
export function schemeOf(authorization: string): string {
  return SCHEME.exec(authorization)?.[0] ?? 'unknown'
}

/** The text, percent-decoded as far as possible. */
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
