import { z } from 'zod'
import { Id } from '../contract/conventions.ts'
import { describe } from '../contract/describe.ts'
import { POLICIES } from '../contract/gaps.ts'
import { DateTimeInput, resolveMs } from '../contract/moments.ts'
import type { RecordReader } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import { validate } from '../contract/validation.ts'
import type { Validated } from '../contract/validation.ts'
import { Endpoint } from '../contract/endpoint.ts'
import { findToken } from '../records/find-token.ts'
import type { JournalRequest } from './journal-request.ts'

/** A number that may come as text, as the parameters of a query do. */
export function orText(schema: z.ZodType<number>): z.ZodType<number, number | `${number}`> {
  const toNumber = (input: unknown): unknown =>
    typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input) ? Number(input) : input
  return z.preprocess(toNumber, schema) as z.ZodType<number, number | `${number}`>
}

const Whole = orText(z.int().min(0))
const Milliseconds = orText(z.number().min(0))

/**
 * An endpoint as faults name it, with any method of HTTP in front, like `POST /projects`, or without one.
 * It is read as the method and the path, or the path alone.
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
  .describe('An endpoint, like `GET /projects/{project}`; of any method where it has none')

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
      `${describe(input)} is no query. Write a part of its text, or a map of parameters that it must have.`,
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

/** Which requests of the journal are meant: those of which everything here is true, all of them for `{}`. */
export const RequestFilter = z.strictObject({
  route: RouteFilter.optional(),
  method: z.string().optional().describe('The method, in capitals or not'),
  path: z.string().optional().describe('The path as sent'),
  query: QueryFilter.optional().describe('A part of the query as sent, or parameters that it has'),
  status: StatusFilter.optional().describe('A status, or a class like `4xx`; 0 for no answer'),
  token: TokenFilter.optional().describe(
    'A token by id, name or bearer value; null, or an empty text, for none that is known',
  ),
  scheme: z.string().optional().describe('The scheme of the Authorization header'),
  project: Whole.optional().describe('The id of the project in the path'),
  client_ip: z.string().optional(),
  decided_by: z
    .string()
    .optional()
    .describe('Like `fault 3`, `minute window`, `project_not_found`'),
  gap: GapFilter.optional().describe('A gap that the answer rested on, by its id or its policy'),
  fault: Whole.optional().describe('The id of a fault that had a part in the answer'),
  sequence: Whole.optional(),
  since: Whole.optional().describe('Only what came after that sequence'),
  until: Whole.optional().describe('Only what came up to that sequence, itself included'),
  from: DateTimeInput.optional().describe('The least time on the world clock'),
  to: DateTimeInput.optional().describe('The greatest time on the world clock'),
  rate_from: DateTimeInput.optional().describe('The least time on the rate clock'),
  rate_to: DateTimeInput.optional().describe('The greatest time on the rate clock'),
  min_body_bytes: Whole.optional(),
  max_body_bytes: Whole.optional(),
  min_duration_ms: Milliseconds.optional(),
  max_duration_ms: Milliseconds.optional(),
})
/** A filter as it was checked. */
export type RequestFilter = z.output<typeof RequestFilter>
/** A filter as it is written. */
export type RequestFilterInput = z.input<typeof RequestFilter>

/** One thing that a filter asks for. */
export interface Criterion {
  field: keyof RequestFilter
  /** As a message says it: `status 404`. Bearer values are not in it. */
  text: string
  isMet: (request: JournalRequest) => boolean
}

/** What has to be known of a world to read a filter. */
export interface FilterContext {
  records: RecordReader
  /** The world clock. */
  nowMs: number
  /** The rate clock. */
  rateMs: number
  /** Takes bearer values out of a text, as the journal has done with its requests. */
  redact: (text: string) => string
}

/** What a filter asks for in a world, or which token there is not. */
export function toCriteria(
  filter: RequestFilter,
  surroundings: FilterContext,
): Validated<Criterion[]> {
  const { token: named, ...rest } = filter
  const token = named === undefined ? undefined : resolveToken(named, surroundings.records)
  if (token && 'problems' in token) return token
  const asked = Object.entries(rest).flatMap(([field, wanted]) => {
    if (wanted === undefined) return []
    // Each entry of the table takes the type of its own field.
    const toCriterion = CRITERIA[field as keyof typeof CRITERIA] as ToCriterion<typeof wanted>
    const criterion = toCriterion(wanted, surroundings)
    return [{ field: field as keyof RequestFilter, ...criterion }]
  })
  if (!token) return { value: asked }
  return { value: [...asked, { field: 'token', ...ofToken(token.value, surroundings) }] }
}

/** Whether a request is what was asked for. */
export function meetsAll(request: JournalRequest, criteria: readonly Criterion[]): boolean {
  return criteria.every(({ isMet }) => isMet(request))
}

/** What was asked for, as the subject of a sentence: `GET /me with status 200`. */
export function describeCriteria(criteria: readonly Criterion[]): string {
  const route = criteria.find(({ field }) => field === 'route')
  const others = criteria.filter((criterion) => criterion !== route).map(({ text }) => text)
  const subject = route?.text ?? 'any request'
  return others.length === 0 ? subject : `${subject} with ${others.join(', ')}`
}

type ToCriterion<Wanted> = (wanted: Wanted, surroundings: FilterContext) => Omit<Criterion, 'field'>

const CRITERIA: {
  [Field in Exclude<keyof RequestFilter, 'token'>]-?: ToCriterion<NonNullable<RequestFilter[Field]>>
} = {
  route: (wanted) => {
    const { method, path } = splitRoute(wanted)
    return {
      text: wanted,
      isMet: (request) =>
        request.route === `GET ${path}` && (method === undefined || request.method === method),
    }
  },
  method: (wanted) => ({
    text: `method ${wanted.toUpperCase()}`,
    isMet: ({ method }) => method.toUpperCase() === wanted.toUpperCase(),
  }),
  path: (wanted, { redact }) => equal('path', redact(wanted), ({ path }) => path),
  query: (wanted, { redact }) =>
    typeof wanted === 'string' ? queryPart(redact(wanted)) : queryParameters(wanted, redact),
  status: (wanted) => ({
    text: `status ${wanted}`,
    isMet: ({ status }) => status === wanted || `${Math.floor(status / 100)}xx` === wanted,
  }),
  scheme: (wanted, { redact }) => ({
    text: `scheme ${redact(wanted)}`,
    isMet: ({ scheme }) => scheme?.toLowerCase() === wanted.toLowerCase(),
  }),
  project: (wanted) => equal('project', wanted, ({ project }) => project),
  client_ip: (wanted, { redact }) => equal('client_ip', redact(wanted), (one) => one.client_ip),
  decided_by: (wanted, { redact }) => equal('decided_by', redact(wanted), (one) => one.decided_by),
  gap: (wanted) => ({ text: `gap ${wanted}`, isMet: ({ gaps }) => gaps.includes(wanted) }),
  fault: (wanted) => ({ text: `fault ${wanted}`, isMet: ({ faults }) => faults.includes(wanted) }),
  sequence: (wanted) => equal('sequence', wanted, ({ sequence }) => sequence),
  since: (wanted) => ({
    text: `a sequence after ${wanted}`,
    isMet: ({ sequence }) => sequence > wanted,
  }),
  until: (wanted) => ({
    text: `a sequence up to ${wanted}`,
    isMet: ({ sequence }) => sequence <= wanted,
  }),
  from: (wanted, { nowMs }) => notBefore(wanted, nowMs, ({ now }) => now),
  to: (wanted, { nowMs }) => notAfter(wanted, nowMs, ({ now }) => now),
  rate_from: (wanted, { rateMs }) => notBefore(wanted, rateMs, ({ rate_clock }) => rate_clock),
  rate_to: (wanted, { rateMs }) => notAfter(wanted, rateMs, ({ rate_clock }) => rate_clock),
  min_body_bytes: (wanted) => ({
    text: `a body of at least ${wanted} bytes`,
    isMet: ({ body_bytes }) => body_bytes >= wanted,
  }),
  max_body_bytes: (wanted) => ({
    text: `a body of at most ${wanted} bytes`,
    isMet: ({ body_bytes }) => body_bytes <= wanted,
  }),
  min_duration_ms: (wanted) => ({
    text: `a duration of at least ${wanted} ms`,
    isMet: ({ duration_ms }) => duration_ms >= wanted,
  }),
  max_duration_ms: (wanted) => ({
    text: `a duration of at most ${wanted} ms`,
    isMet: ({ duration_ms }) => duration_ms <= wanted,
  }),
}

function equal<Value extends string | number>(
  name: string,
  wanted: Value,
  read: (request: JournalRequest) => Value | null,
): Omit<Criterion, 'field'> {
  return { text: `${name} ${wanted}`, isMet: (request) => read(request) === wanted }
}

function queryPart(wanted: string): Omit<Criterion, 'field'> {
  return { text: `query ${describe(wanted)}`, isMet: ({ query }) => query.includes(wanted) }
}

function queryParameters(
  wanted: Record<string, string | number | boolean>,
  redact: (text: string) => string,
): Omit<Criterion, 'field'> {
  const asked = Object.entries(wanted).map(([name, value]) => [redact(name), redact(String(value))])
  return {
    text: `query ${asked.map((pair) => pair.join('=')).join('&')}`,
    isMet: ({ query }) => {
      const sent = new URLSearchParams(query)
      return asked.every(([name = '', value]) => sent.getAll(name).some((one) => one === value))
    },
  }
}

type ReadClock = (clock: JournalRequest['clock']) => string

function notBefore(wanted: string, nowMs: number, read: ReadClock): Omit<Criterion, 'field'> {
  const leastMs = resolveMs(wanted, nowMs)
  return {
    text: `a time from ${wanted} on`,
    isMet: ({ clock }) => Date.parse(read(clock)) >= leastMs,
  }
}

function notAfter(wanted: string, nowMs: number, read: ReadClock): Omit<Criterion, 'field'> {
  const greatestMs = resolveMs(wanted, nowMs)
  return {
    text: `a time up to ${wanted}`,
    isMet: ({ clock }) => Date.parse(read(clock)) <= greatestMs,
  }
}

function ofToken(
  wanted: number | null,
  { records, redact }: FilterContext,
): Omit<Criterion, 'field'> {
  const name = wanted === null ? undefined : records.get('tokens', wanted)?.name
  return {
    text: name === undefined ? 'no known token' : `token ${describe(redact(name))}`,
    isMet: ({ token_id }) => token_id === wanted,
  }
}

/** The id of a token; null for none. In a query an id is a text, and so comes after names and bearer values. */
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
