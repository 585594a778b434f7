import { escapeRegExp } from '../contract/regular-expression.ts'
import { withoutSuffix, withoutIsolatedValues } from '../records/namespaced-tokens.ts'
import { decode, LONG, standingAlone } from '../journal/redaction.ts'

/** Stands for a bearer value that no token of the world ever had. */
const UNKNOWN = 'unknown'

/** The bearer values that a session may meet. */
export interface BearerValues {
  /** Those of the world, each with the id of its token. */
  owners: ReadonlyMap<string, number>
  /** Those that commands gave to other worlds. */
  others: Iterable<string>
  /** Those that a made-up world has without being given any; they stay, or it would have others when it is made again. */
  documented: ReadonlySet<string>
}

/** Plain data with placeholders in it. */
export interface Replaced<Data> {
  data: Data
  /** Whether a bearer value stood where none belongs, like in a name, so that answers may show it. */
  isAltered: boolean
}

/**
 * What stands for the bearer values of a world in a session that goes to others: one placeholder for each
 * value, `token-1` for that of token 1, which is as good a bearer value as it.
 */
export class Placeholders {
  readonly #of = new Map<string, string>()
  readonly #anywhere: RegExp | undefined

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
    if (longestFirst.length === 0) return
    this.#anywhere = new RegExp(longestFirst.map(toPattern).join('|'), 'g')
  }

  /** An Authorization header with its scheme and its spaces as they were sent. */
  inAuthorization(header: string): string {
    const words = header.split(' ')
    return words
      .map((word, index) => (index === 0 ? asScheme(word) : this.#asBearer(word)))
      .join(' ')
  }

  /** A text with no bearer value in it; a short one is replaced only where it stands by itself. */
  inText(text: string): string {
    const own = this.#anywhere
      ? text.replaceAll(this.#anywhere, (value) => this.#of.get(value) ?? UNKNOWN)
      : text
    return withoutIsolatedValues(own, UNKNOWN)
  }

  /** The same, however it is percent-encoded. */
  inTarget(target: string): string {
    const replaced = this.inText(target)
    const decoded = decode(replaced)
    const hidden = this.inText(decoded)
    return hidden === decoded ? replaced : encodeURI(hidden)
  }

  /** The same in every text of a request, its Authorization header apart. */
  inRequest<Request extends Record<string, string>>(request: Request): Replaced<Request> {
    const entries = Object.entries(request).map(([name, text]) => [name, this.inTarget(text)])
    const data = Object.fromEntries(entries) as Request
    return { data, isAltered: Object.keys(request).some((name) => data[name] !== request[name]) }
  }

  /** The same in every text of plain data; the value of a token that is just that is where it belongs. */
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

  #asBearer(word: string): string {
    return word === '' ? word : (this.#of.get(word) ?? UNKNOWN)
  }
}

/** What comes first in an Authorization header, where it is no secret that stands there by mistake. */
function asScheme(word: string): string {
  return word === '' || /^(?:bearer|basic|digest|token)$/i.test(word) ? word : UNKNOWN
}

function toPattern(value: string): string {
  return value.length >= LONG ? escapeRegExp(value) : standingAlone(value).source
}
