import { escapeRegExp } from '../contract/regular-expression.ts'
import { withoutSuffix, withoutIsolatedValues } from '../records/namespaced-tokens.ts'
import { decode, LONG, standingAlone } from '../journal/redaction.ts'

/** Replaces a bearer value that no token of the world ever had. */
const UNKNOWN = 'unknown'

/** The bearer values that may occur in a session. */
export interface BearerValues {
  /** Those of the world, with the ids of their tokens. */
  owners: ReadonlyMap<string, number>
  /** Those that commands gave to other worlds. */
  others: Iterable<string>
  /** The documented values of a generated world; they stay, because a replay generates the same ones. */
  documented: ReadonlySet<string>
}

/** Plain data with placeholders in it. */
export interface Replaced<Data> {
  data: Data
  /** Whether a bearer value was where none belongs, such as in a name, so that responses may show it. */
  isAltered: boolean
}

/**
 * The placeholders for the bearer values of a world in a session that is shared: one for each value, such as
 * `token-1` for that of token 1, which is itself a valid bearer value.
 */
export class Placeholders {
  readonly #of = new Map<string, string>()
  readonly #anywhere: RegExp | undefined
  /** The values that look percent-encoded. */
  readonly #encoded: RegExp | undefined

  constructor({ owners, others, documented }: BearerValues) {
    const counts = new Map<number, number>()
    for (const [value, id] of owners) {
      if (documented.has(withoutSuffix(value))) {
        this.#of.set(value, withoutSuffix(value))
        continue
      }
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      this.#of.set(value, count === 1 ? `token-${id}` : `token-${id}-${count}`)
    }
    const values = [...owners.keys(), ...others]
    const longestFirst = values.toSorted((one, other) => other.length - one.length)
    this.#anywhere = toAlternatives(longestFirst)
    this.#encoded = toAlternatives(longestFirst.filter((value) => value.includes('%')))
  }

  /** An Authorization header, its scheme and spaces as they were sent. */
  inAuthorization(header: string): string {
    const words = header.split(' ')
    return words
      .map((word, index) => (index === 0 ? asScheme(word) : this.#asBearer(word)))
      .join(' ')
  }

  /** A text without bearer values; a short one is replaced only where it is a word of its own. */
  inText(text: string): string {
    return withoutIsolatedValues(this.#replace(text, this.#anywhere), UNKNOWN)
  }

  /** The same for a request target, percent-encoded or not. */
  inTarget(target: string): string {
    const replaced = this.inText(target)
    // As in `redactTarget`: the beginning of an encoded value may be a value itself.
    const hidden = this.inText(decode(this.#replace(target, this.#encoded)))
    return decode(replaced) === hidden ? replaced : encodeURI(hidden)
  }

  /** The same for every string of a request, except its Authorization header. */
  inRequest<Request extends Record<string, string>>(request: Request): Replaced<Request> {
    const entries = Object.entries(request).map(([name, text]) => [name, this.inTarget(text)])
    const data = Object.fromEntries(entries) as Request
    return { data, isAltered: Object.keys(request).some((name) => data[name] !== request[name]) }
  }

  /** The same for every string of plain data; a bearer value belongs in a field `token`. */
  inData<Data>(data: Data): Replaced<Data> {
    let isAltered = false
    const replace = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') {
        const bearer = key === 'token' ? this.#of.get(value) : undefined
        if (bearer !== undefined) return bearer
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

  #replace(text: string, values: RegExp | undefined): string {
    return values ? text.replaceAll(values, (value) => this.#of.get(value) ?? UNKNOWN) : text
  }

  #asBearer(word: string): string {
    return word === '' ? word : (this.#of.get(word) ?? UNKNOWN)
  }
}

/** The first word of an Authorization header, unless it may be a secret that is there by mistake. */
function asScheme(word: string): string {
  return word === '' || /^(?:bearer|basic|digest|token)$/i.test(word) ? word : UNKNOWN
}

/** Matches any of the values, the first of them first; undefined where there are none. */
function toAlternatives(values: readonly string[]): RegExp | undefined {
  return values.length > 0 ? new RegExp(values.map(toPattern).join('|'), 'g') : undefined
}

function toPattern(value: string): string {
  return value.length >= LONG ? escapeRegExp(value) : standingAlone(value).source
}
