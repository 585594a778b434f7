import { describe } from '../contract/text.ts'
import { resolveMs } from '../contract/time.ts'
import type { RecordReader } from '../contract/records.ts'
import type { Validated } from '../contract/validation.ts'
import { findToken } from '../records/bearer-tokens.ts'
import type { JournalRequest } from './journal-request.ts'
import { splitRoute } from './request-filter.ts'
import type { RequestFilter } from './request-filter.ts'

interface Condition {
  /** A phrase for messages, such as `status 404`, without bearer values. */
  text: string
  isMet: (request: JournalRequest) => boolean
}

export interface Criterion extends Condition {
  field: keyof RequestFilter
}

/** Properties of a world that its filters need. */
export interface FilterContext {
  records: RecordReader
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** The rate clock, in epoch milliseconds. */
  rateMs: number
  /** Replaces bearer values in text, as the journal does in its requests. */
  redact: (text: string) => string
}

/** Returns the criteria of a filter in a world; problems if the filter names an unknown token. */
export function toCriteria(filter: RequestFilter, context: FilterContext): Validated<Criterion[]> {
  const { token: named, ...rest } = filter
  const token = named === undefined ? undefined : resolveToken(named, context.records)
  if (token && 'problems' in token) return token
  const requested = Object.entries(rest).flatMap(([field, expected]) => {
    if (expected === undefined) return []
    // Each function of the table accepts the type of its own field.
    const toCriterion = CRITERIA[field as keyof typeof CRITERIA] as ToCriterion<typeof expected>
    const criterion = toCriterion(expected, context)
    return [{ field: field as keyof RequestFilter, ...criterion }]
  })
  if (!token) return { value: requested }
  return { value: [...requested, { field: 'token', ...ofToken(token.value, context) }] }
}

export function meetsAll(request: JournalRequest, criteria: readonly Criterion[]): boolean {
  return criteria.every(({ isMet }) => isMet(request))
}

/** Describes criteria as the subject of a sentence: `GET /me with status 200`. */
export function describeCriteria(criteria: readonly Criterion[]): string {
  const route = criteria.find(({ field }) => field === 'route')
  const others = criteria.filter((criterion) => criterion !== route).map(({ text }) => text)
  const subject = route?.text ?? 'any request'
  return others.length === 0 ? subject : `${subject} with ${others.join(', ')}`
}

type ToCriterion<Expected> = (expected: Expected, context: FilterContext) => Condition

const CRITERIA: {
  [Field in Exclude<keyof RequestFilter, 'token'>]-?: ToCriterion<NonNullable<RequestFilter[Field]>>
} = {
  route: (expected) => {
    const { method, path } = splitRoute(expected)
    return {
      text: expected,
      isMet: (request) =>
        request.route === `GET ${path}` && (method === undefined || request.method === method),
    }
  },
  method: (expected) => ({
    text: `method ${expected.toUpperCase()}`,
    isMet: ({ method }) => method.toUpperCase() === expected.toUpperCase(),
  }),
  path: (expected, { redact }) => equal('path', redact(expected), ({ path }) => path),
  query: (expected, { redact }) =>
    typeof expected === 'string' ? queryPart(redact(expected)) : queryParameters(expected, redact),
  status: (expected) => ({
    text: `status ${expected}`,
    isMet: ({ status }) => status === expected || `${Math.floor(status / 100)}xx` === expected,
  }),
  scheme: (expected, { redact }) => ({
    text: `scheme ${redact(expected)}`,
    isMet: ({ scheme }) => scheme?.toLowerCase() === expected.toLowerCase(),
  }),
  project: (expected) => equal('project', expected, ({ project }) => project),
  client_ip: (expected, { redact }) => equal('client_ip', redact(expected), (one) => one.client_ip),
  decided_by: (expected, { redact }) =>
    equal('decided_by', redact(expected), (one) => one.decided_by),
  gap: (expected) => ({ text: `gap ${expected}`, isMet: ({ gaps }) => gaps.includes(expected) }),
  fault: (expected) => ({
    text: `fault ${expected}`,
    isMet: ({ faults }) => faults.includes(expected),
  }),
  sequence: (expected) => equal('sequence', expected, ({ sequence }) => sequence),
  since: (expected) => ({
    text: `a sequence after ${expected}`,
    isMet: ({ sequence }) => sequence > expected,
  }),
  until: (expected) => ({
    text: `a sequence up to ${expected}`,
    isMet: ({ sequence }) => sequence <= expected,
  }),
  from: (expected, { nowMs }) => notBefore(expected, nowMs, ({ now }) => now),
  to: (expected, { nowMs }) => notAfter(expected, nowMs, ({ now }) => now),
  rate_from: (expected, { rateMs }) => notBefore(expected, rateMs, ({ rate_clock }) => rate_clock),
  rate_to: (expected, { rateMs }) => notAfter(expected, rateMs, ({ rate_clock }) => rate_clock),
  min_body_bytes: (expected) => ({
    text: `a body of at least ${expected} bytes`,
    isMet: ({ body_bytes }) => body_bytes >= expected,
  }),
  max_body_bytes: (expected) => ({
    text: `a body of at most ${expected} bytes`,
    isMet: ({ body_bytes }) => body_bytes <= expected,
  }),
  min_duration_ms: (expected) => ({
    text: `a duration of at least ${expected} ms`,
    isMet: ({ duration_ms }) => duration_ms !== null && duration_ms >= expected,
  }),
  max_duration_ms: (expected) => ({
    text: `a duration of at most ${expected} ms`,
    isMet: ({ duration_ms }) => duration_ms !== null && duration_ms <= expected,
  }),
}

function equal<Value extends string | number>(
  name: string,
  expected: Value,
  read: (request: JournalRequest) => Value | null,
): Condition {
  return { text: `${name} ${expected}`, isMet: (request) => read(request) === expected }
}

function queryPart(expected: string): Condition {
  return { text: `query ${describe(expected)}`, isMet: ({ query }) => query.includes(expected) }
}

function queryParameters(
  expected: Record<string, string | number | boolean>,
  redact: (text: string) => string,
): Condition {
  const pairs = Object.entries(expected).map(([name, value]) => [
    redact(name),
    redact(String(value)),
  ])
  return {
    text: `query ${pairs.map((pair) => pair.join('=')).join('&')}`,
    isMet: ({ query }) => {
      const parameters = new URLSearchParams(query)
      return pairs.every(([name = '', value]) =>
        parameters.getAll(name).some((one) => one === value),
      )
    },
  }
}

type ReadClock = (clock: JournalRequest['clock']) => string

function notBefore(expected: string, nowMs: number, read: ReadClock): Condition {
  const leastMs = resolveMs(expected, nowMs)
  return {
    text: `a time from ${expected} on`,
    isMet: ({ clock }) => Date.parse(read(clock)) >= leastMs,
  }
}

function notAfter(expected: string, nowMs: number, read: ReadClock): Condition {
  const greatestMs = resolveMs(expected, nowMs)
  return {
    text: `a time up to ${expected}`,
    isMet: ({ clock }) => Date.parse(read(clock)) <= greatestMs,
  }
}

function ofToken(expected: number | null, { records, redact }: FilterContext): Condition {
  const name = expected === null ? undefined : records.get('tokens', expected)?.name
  return {
    text: name === undefined ? 'no known token' : `token ${describe(redact(name))}`,
    isMet: ({ token_id }) => token_id === expected,
  }
}

/**
 * Returns the id of the token that `named` identifies; null, which means no known token, if `named` is null or empty; problems if
 * no token matches. A string of digits may be an id from a query parameter, unless a token has that name or bearer value.
 */
function resolveToken(
  named: number | string | null,
  records: RecordReader,
): Validated<number | null> {
  if (named === null || named === '') return { value: null }
  const found = findToken(named, records)
  if ('value' in found || typeof named === 'number' || !/^\d+$/.test(named)) return found
  const byId = findToken(Number(named), records)
  return 'value' in byId ? byId : found
}
