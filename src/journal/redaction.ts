import { withoutControls } from '../contract/describe.ts'
import { escapeRegExp } from '../contract/regular-expression.ts'
import { withoutIsolatedValues } from '../records/namespaced-tokens.ts'

/** A bearer value, and the placeholder that replaces it where it must not be shown. */
export interface Secret {
  value: string
  /** Identifies the token: `[token 3]`. */
  placeholder: string
}

/** From this length on, a bearer value is unlikely to be part of an unrelated word. */
export const LONG = 8

/** A text without bearer values; a short one is replaced only where it is a word of its own. */
export function redact(text: string, secrets: readonly Secret[]): string {
  const own = secrets
    .filter(({ value }) => text.includes(value))
    .toSorted((one, other) => other.value.length - one.value.length)
    .reduce(
      (redacted, { value, placeholder }) =>
        redacted.replaceAll(value.length >= LONG ? value : standingAlone(value), () => placeholder),
      text,
    )
  return withoutIsolatedValues(own, FOREIGN)
}

/** Replaces a bearer value of another world. */
export const FOREIGN = '[token]'

/** The same for a request target, percent-encoded or not; unchanged where it has no bearer value. */
export function redactTarget(target: string, secrets: readonly Secret[]): string {
  const plain = redact(target, secrets)
  // Values that look percent-encoded are replaced ahead of decoding. Any others are replaced after it only: the
  // beginning of an encoded value may be a value itself.
  const encoded = secrets.filter(({ value }) => value.includes('%'))
  const decoded = redact(decode(redact(target, encoded)), secrets)
  return withoutControls(decode(plain) === decoded ? plain : decoded)
}

/** The same for every string in plain data. */
export function redactData(data: unknown, secrets: readonly Secret[]): unknown {
  if (typeof data === 'string') return redact(data, secrets)
  if (Array.isArray(data)) return data.map((item) => redactData(item, secrets))
  if (typeof data !== 'object' || data === null) return data
  const entries = Object.entries(data).map(([key, value]) => [key, redactData(value, secrets)])
  return Object.fromEntries(entries) as unknown
}

export function standingAlone(value: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${escapeRegExp(value)}(?![A-Za-z0-9])`, 'g')
}

/** Percent-decoded as far as it can be. */
export function decode(text: string): string {
  return text.replaceAll(/(?:%[\dA-F]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch (error) {
      if (error instanceof URIError) return encoded
      throw error
    }
  })
}
