import { z } from 'zod'
import { Id } from '../contract/conventions.ts'
import { describe } from '../contract/describe.ts'
import { POLICIES } from '../contract/gaps.ts'
import { DateTimeInput } from '../contract/moment-inputs.ts'
import { resolveMs } from '../contract/moments.ts'
import type { RecordReader } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import { validate } from '../contract/validate.ts'
import type { Validated } from '../contract/validation.ts'
import { Endpoint } from '../contract/endpoint-input.ts'
import { findToken } from '../records/find-token.ts'
import type { JournalRequest } from './journal-request.ts'

/** A number that may be sent as text, as in query parameters. */
export function orText(schema: z.ZodType<number>): z.ZodType<number, number | `${number}`> {
  const toNumber = (input: unknown): unknown =>
    typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input) ? Number(input) : input
  return z.preprocess(toNumber, schema) as z.ZodType<number, number | `${number}`>
}

const Whole = orText(z.int().min(0))
const Milliseconds = orText(z.number().min(0))

/**
 * An endpoint as faults name it, with any HTTP method in front, like `POST /projects`, or without one.
 * Its value is the method and the path, or only the path.
 */
const RouteFilter = z
  .string()
  .transform((text, context) => {
    const { method, path } = splitRoute(text)
    const found = validate(Endpoint, path.startsWith('/') ? `GET ${path}` : path)
    if ('value' in found) {
      return found.value.replace(/^GET /, method === undefined ? '' : `${method} `)
    }
    for (const { message } of found.problems) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .describe('An endpoint, like `GET /projects/{project}`; without a method, any method')

function splitRoute(text: string): { method: string | undefined; path: string } {
  const [, method, path = text] = /^([a-z]+) +(\S.*)$/i.exec(text) ?? []
  return { method: method?.toUpperCase(), path }
}

const StatusClass = z.templateLiteral([z.literal(['1', '2', '3', '4', '5']), 'xx'])

const StatusFilter = z.union([Whole, StatusClass], {
  error: ({ input }) =>
    `${describe(input)} is not a status. Write one like 404, or a class like 4xx.`,
})

const TokenFilter = z.union([Id, z.string(), z.null()], {
  error: ({ input }) =>
    `${describe(input)} names no token. Write its id, name or bearer value, or null for requests of no known token.`,
})

const QueryFilter = z.union(
  [z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))],
  {
    error: ({ input }) =>
      `${describe(input)} is not a query. Write a part of its text, or a map of parameters that it must have.`,
  },
)

const GAP_IDS: readonly string[] = POLICIES.map(({ id }) => id)

const GapFilter = z.string().transform((text, context) => {
  const found = POLICIES.find(({ id, policy }) => id === text || policy === text)
  if (found) return found.id
  const message = `${describe(text)} is not a gap. ${suggest(text, GAP_IDS)}`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** Selects the requests of the journal that meet every criterion here; all of them for `{}`. */
export const RequestFilter = z.strictObject({
  route: RouteFilter.optional(),
  method: z.string().optional().describe('The method, in any case'),
  path: z.string().optional().describe('The path as sent'),
  query: QueryFilter.optional().describe('A part of the query as sent, or parameters that it has'),
  status: StatusFilter.optional().describe('A status, or a class like `4xx`; 0 for no response'),
  token: TokenFilter.optional().describe(
    'A token by id, name or bearer value; null, or an empty text, for no known token',
  ),
  scheme: z.string().optional().describe('The scheme of the Authorization header'),
  project: Whole.optional().describe('The id of the project in the path'),
  client_ip: z.string().optional().describe('The client address'),
  decided_by: z
    .string()
    .optional()
    .describe('Like `fault 3`, `minute window`, `project_not_found`'),
  gap: GapFilter.optional().describe('A gap that the response relies on, by its id or its policy'),
  fault: Whole.optional().describe('The id of a fault that affected the response'),
  sequence: Whole.optional().describe('The request with that sequence'),
  since: Whole.optional().describe('Only those after that sequence'),
  until: Whole.optional().describe('Only those up to and including that sequence'),
  from: DateTimeInput.optional().describe('The earliest time on the world clock'),
  to: DateTimeInput.optional().describe('The latest time on the world clock'),
  rate_from: DateTimeInput.optional().describe('The earliest time on the rate clock'),
  rate_to: DateTimeInput.optional().describe('The latest time on the rate clock'),
  min_body_bytes: Whole.optional().describe('The smallest size of the response body'),
  max_body_bytes: Whole.optional().describe('The largest size of the response body'),
  min_duration_ms: Milliseconds.optional().describe('The shortest time that it took'),
  max_duration_ms: Milliseconds.optional().describe('The longest time that it took'),
})
/** A filter that has been validated. */
export type RequestFilter = z.output<typeof RequestFilter>
/** A filter as it is written. */
export type RequestFilterInput = z.input<typeof RequestFilter>

/** One criterion of a filter. */
export interface Criterion {
  field: keyof RequestFilter
  /** For messages: `status 404`. Bearer values are not in it. */
  text: string
  isMet: (request: JournalRequest) => boolean
}

/** What reading a filter needs of a world. */
export interface FilterContext {
  records: RecordReader
  /** The world clock. */
  nowMs: number
  /** The rate clock. */
  rateMs: number
  /** Redacts bearer values in a text, as the journal does in its requests. */
  redact: (text: string) => string
}

/** The criteria of a filter in a world; problems where its token does not exist. */
export function toCriteria(filter: RequestFilter, context: FilterContext): Validated<Criterion[]> {
  const { token: named, ...rest } = filter
  const token = named === undefined ? undefined : resolveToken(named, context.records)
  if (token && 'problems' in token) return token
  const requested = Object.entries(rest).flatMap(([field, expected]) => {
    if (expected === undefined) return []
    // Each entry of the table takes the type of its own field.
    const toCriterion = CRITERIA[field as keyof typeof CRITERIA] as ToCriterion<typeof expected>
    const criterion = toCriterion(expected, context)
    return [{ field: field as keyof RequestFilter, ...criterion }]
  })
  if (!token) return { value: requested }
  return { value: [...requested, { field: 'token', ...ofToken(token.value, context) }] }
}

/** Whether a request meets every criterion. */
export function meetsAll(request: JournalRequest, criteria: readonly Criterion[]): boolean {
  return criteria.every(({ isMet }) => isMet(request))
}

/** Criteria as the subject of a sentence: `GET /me with status 200`. */
export function describeCriteria(criteria: readonly Criterion[]): string {
  const route = criteria.find(({ field }) => field === 'route')
  const others = criteria.filter((criterion) => criterion !== route).map(({ text }) => text)
  const subject = route?.text ?? 'any request'
  return others.length === 0 ? subject : `${subject} with ${others.join(', ')}`
}

type ToCriterion<Expected> = (
  expected: Expected,
  context: FilterContext,
) => Omit<Criterion, 'field'>

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
    isMet: ({ duration_ms }) => duration_ms >= expected,
  }),
  max_duration_ms: (expected) => ({
    text: `a duration of at most ${expected} ms`,
    isMet: ({ duration_ms }) => duration_ms <= expected,
  }),
}

function equal<Value extends string | number>(
  name: string,
  expected: Value,
  read: (request: JournalRequest) => Value | null,
): Omit<Criterion, 'field'> {
  return { text: `${name} ${expected}`, isMet: (request) => read(request) === expected }
}

function queryPart(expected: string): Omit<Criterion, 'field'> {
  return { text: `query ${describe(expected)}`, isMet: ({ query }) => query.includes(expected) }
}

function queryParameters(
  expected: Record<string, string | number | boolean>,
  redact: (text: string) => string,
): Omit<Criterion, 'field'> {
  const pairs = Object.entries(expected).map(([name, value]) => [
    redact(name),
    redact(String(value)),
  ])
  return {
    text: `query ${pairs.map((pair) => pair.join('=')).join('&')}`,
    isMet: ({ query }) => {
      const sent = new URLSearchParams(query)
      return pairs.every(([name = '', value]) => sent.getAll(name).some((one) => one === value))
    },
  }
}

type ReadClock = (clock: JournalRequest['clock']) => string

function notBefore(expected: string, nowMs: number, read: ReadClock): Omit<Criterion, 'field'> {
  const leastMs = resolveMs(expected, nowMs)
  return {
    text: `a time from ${expected} on`,
    isMet: ({ clock }) => Date.parse(read(clock)) >= leastMs,
  }
}

function notAfter(expected: string, nowMs: number, read: ReadClock): Omit<Criterion, 'field'> {
  const greatestMs = resolveMs(expected, nowMs)
  return {
    text: `a time up to ${expected}`,
    isMet: ({ clock }) => Date.parse(read(clock)) <= greatestMs,
  }
}

function ofToken(
  expected: number | null,
  { records, redact }: FilterContext,
): Omit<Criterion, 'field'> {
  const name = expected === null ? undefined : records.get('tokens', expected)?.name
  return {
    text: name === undefined ? 'no known token' : `token ${describe(redact(name))}`,
    isMet: ({ token_id }) => token_id === expected,
  }
}

/** The id of a token; null for none. Query parameters carry ids as text, which names and bearer values precede. */
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
