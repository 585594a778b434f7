import { z } from 'zod'
import { DateTime, DateTimeInput } from '../contract/conventions.ts'
import type { Reader, ValueOf } from '../contract/read-fields.ts'
import { Report } from '../contract/report.ts'
import { schemaBy } from '../contract/validate.ts'
import type { JsonSchema } from '../contract/validate.ts'
import { JournalRequest } from './journal-request.ts'
import { FILTER_FIELDS, STATUS_CLASS } from './request-filter.ts'
import { EXPECTATION_FIELDS, MAXIMUM_STEPS, problemsOf } from './verification.ts'
import type { Expectation } from './verification.ts'

/** Headers or query parameters, in the order in which they were sent. */
export const HeaderPairs = z.array(z.strictObject({ name: z.string(), value: z.string() }))
export type HeaderPairs = z.infer<typeof HeaderPairs>

const Message = z.strictObject({
  httpVersion: z.string(),
  cookies: z.array(z.never()),
  headers: HeaderPairs,
  headersSize: z.int().describe('-1 if unknown'),
  bodySize: z.int(),
})

const HarEntry = z.strictObject({
  startedDateTime: z.string().describe('Time on the rate clock, which `Date` shows'),
  time: z.number(),
  request: Message.extend({ method: z.string(), url: z.string(), queryString: HeaderPairs }),
  response: Message.extend({
    status: z.int(),
    statusText: z.string(),
    content: z
      .strictObject({ size: z.int(), mimeType: z.string() })
      .describe('Bodies are not in the archive'),
    redirectURL: z.string(),
  }),
  cache: z.strictObject({}),
  timings: z.strictObject({ send: z.number(), wait: z.number(), receive: z.number() }),
  _sequence: z.int(),
  _route: z.string().nullable(),
  _token: z.string().nullable(),
  _decided_by: z.string(),
  _rule: z.string().nullable(),
  _gaps: z.array(z.string()),
  _faults: z.array(z.int()),
})
export type HarEntry = z.infer<typeof HarEntry>

/** An HTTP archive, version 1.2. Custom fields begin with an underscore, as the format requires. */
export const HarFile = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.string(), version: z.string() }),
    entries: z.array(HarEntry),
  }),
})
export type HarFile = z.infer<typeof HarFile>

/** A request of the journal with all recorded details. */
export const RequestDetail = JournalRequest.extend({
  origin: z.string().describe('Scheme and host, as named by the client'),
  request_headers: HeaderPairs.describe(
    'Headers as sent, without bearer values and cookies; over 4 kB, those that fit; with a store, only those that identify the client or that the API reads',
  ),
  omitted_headers: z.int().describe('Number of request headers left out to stay within 4 kB'),
  page_origin: z
    .string()
    .nullable()
    .describe('The Origin header, which browsers send; null without one'),
  connection: z
    .int()
    .nullable()
    .describe(
      'Number of its connection, from 1, among the connections of this process with requests to the API; null in process, behind a proxy, over HTTP/2 and with a store',
    ),
  sent_at: DateTime.nullable().describe(
    'Time at which the last byte of the response was sent, by the rate clock; for a success without a fault, at which the server had produced it. Null until then, if it was `aborted`, and if `connection` is null, except for a response that a fault delayed',
  ),
  aborted: z
    .boolean()
    .describe(
      'True if the client closed the connection, or aborted the request, before the last byte was sent',
    ),
  reports: z
    .array(Report.pick({ id: true, report_number: true, status: true }))
    .nullable()
    .describe('The reports in the body; null if it has none, or a fault made it unreadable'),
  response_headers: HeaderPairs,
  body: z
    .string()
    .nullable()
    .describe(
      'The body of the response, before any wire fault; null if it was not sent or is not kept. The bodies of the last 200 responses are kept, at most 8 MB in all, while a stream with `bodies` is open',
    ),
})
export type RequestDetail = z.infer<typeof RequestDetail>

const TEXT = { type: 'string' }
const WHOLE = { type: 'integer', minimum: 0 }
const MILLISECONDS = { type: 'number', minimum: 0 }
const { pattern, examples } = DateTimeInput.meta() ?? {}
const TIME = { ...TEXT, pattern, examples }
const STATUS = { anyOf: [WHOLE, { type: 'string', pattern: STATUS_CLASS.source }] }
const TOKEN = { anyOf: [{ type: 'integer', exclusiveMinimum: 0 }, TEXT, { type: 'null' }] }
const PARAMETERS = {
  type: 'object',
  propertyNames: TEXT,
  additionalProperties: { type: ['string', 'number', 'boolean'] },
}

const TRUE = { type: 'boolean', const: true }
const BOUNDS = {
  type: 'object',
  properties: { min: WHOLE, max: WHOLE },
  additionalProperties: false,
}

type Fields = typeof FILTER_FIELDS

const DOCUMENTED: Record<keyof Fields, readonly [JsonSchema, string]> = {
  route: [TEXT, 'An endpoint, like `GET /projects/{project}`; without a method, any method'],
  method: [TEXT, 'The method, in upper or lower case'],
  path: [TEXT, 'The path as sent'],
  query: [{ anyOf: [TEXT, PARAMETERS] }, 'Part of the query as sent, or a map of parameters'],
  status: [STATUS, 'A status, or a class like `4xx`; 0 for no response'],
  token: [TOKEN, 'A token by id, name or bearer value; null, or an empty text, for no known token'],
  scheme: [TEXT, 'The scheme of the Authorization header'],
  project: [WHOLE, 'The id of the project in the path'],
  client_ip: [TEXT, 'The client address'],
  decided_by: [TEXT, 'The rule that decided, like `fault 3`, `minute window`, `project_not_found`'],
  gap: [TEXT, 'A gap that the response relies on, by its id or its policy'],
  fault: [WHOLE, 'The id of a fault that affected the response'],
  sequence: [WHOLE, 'Only the request with this sequence'],
  since: [WHOLE, 'Only requests after this sequence'],
  until: [WHOLE, 'Only requests up to and including this sequence'],
  from: [TIME, 'The earliest time on the world clock'],
  to: [TIME, 'The latest time on the world clock'],
  rate_from: [TIME, 'The earliest time on the rate clock'],
  rate_to: [TIME, 'The latest time on the rate clock'],
  min_body_bytes: [WHOLE, 'Minimum size of the response body, in bytes'],
  max_body_bytes: [WHOLE, 'Maximum size of the response body, in bytes'],
  min_duration_ms: [MILLISECONDS, 'Minimum duration, in milliseconds'],
  max_duration_ms: [MILLISECONDS, 'Maximum duration, in milliseconds'],
}

type Shape = { [Name in keyof Fields]: z.ZodOptional<z.ZodType<ValueOf<Fields[Name]>>> }

const shape = Object.entries(DOCUMENTED).map(([name, [schema, description]]) => {
  const read: Reader<unknown, unknown> = FILTER_FIELDS[name as keyof Fields]
  return [name, schemaBy(read, schema).optional().describe(description)] as const
})

/** Criteria for requests of the journal. A request must meet all of them; `{}` matches every request. */
export const RequestFilterSchema = z.strictObject(Object.fromEntries(shape) as unknown as Shape)

/** An expectation of the requests so far, with exactly one of `requests`, `in_order` and `no_unknown_routes`. */
export const ExpectationSchema = z
  .strictObject({
    requests: RequestFilterSchema.optional().describe(
      'Criteria of the expected requests; at least one request has to match unless `times` or `never` says otherwise',
    ),
    times: schemaBy(EXPECTATION_FIELDS.times, { anyOf: [WHOLE, BOUNDS] })
      .optional()
      .describe('Expected number of the requests: a number, or from `min` to `max`'),
    never: schemaBy(EXPECTATION_FIELDS.never, TRUE)
      .optional()
      .describe('Expects none of these requests'),
    in_order: z
      .array(RequestFilterSchema)
      .meta({ minItems: 1, maxItems: MAXIMUM_STEPS })
      .optional()
      .describe('Expects requests in this order, with any others in between'),
    no_unknown_routes: schemaBy(EXPECTATION_FIELDS.no_unknown_routes, TRUE)
      .optional()
      .describe('Expects every requested path to belong to an endpoint'),
  } satisfies Record<keyof Expectation, z.ZodType>)
  .superRefine((expectation, context) => {
    for (const { path, message } of problemsOf(expectation)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
