import { z } from 'zod'
import { DateTimeInput } from '../contract/moment-inputs.ts'
import type { Validated } from '../contract/validation.ts'
import {
  readGap,
  readMilliseconds,
  readQuery,
  readRoute,
  readStatus,
  readToken,
  readWhole,
  STATUS_CLASS,
} from './request-filter.ts'

/** The schema of what a reader reads, which it validates; `documented` is the JSON Schema of its input. */
export function schemaBy<Value>(
  read: (input: unknown) => Validated<Value>,
  documented: Record<string, unknown>,
): z.ZodType<Value> {
  return z
    .unknown()
    .transform((input, context): Value => {
      const checked = read(input)
      if ('value' in checked) return checked.value
      for (const { path, message, isKey } of checked.problems) {
        context.addIssue({ code: 'custom', path: [...path], message, params: { isKey } })
      }
      return z.NEVER
    })
    .meta(documented)
}

const Whole = schemaBy(readWhole, { type: 'integer', minimum: 0 })
const Milliseconds = schemaBy(readMilliseconds, { type: 'number', minimum: 0 })

/** Selects the requests of the journal that meet every criterion here; all of them for `{}`. */
export const RequestFilter = z.strictObject({
  route: schemaBy(readRoute, { type: 'string' })
    .optional()
    .describe('An endpoint, like `GET /projects/{project}`; without a method, any method'),
  method: z.string().optional().describe('The method, in any case'),
  path: z.string().optional().describe('The path as sent'),
  query: schemaBy(readQuery, {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        propertyNames: { type: 'string' },
        additionalProperties: { type: ['string', 'number', 'boolean'] },
      },
    ],
  })
    .optional()
    .describe('A part of the query as sent, or parameters that it has'),
  status: schemaBy(readStatus, {
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: STATUS_CLASS.source },
    ],
  })
    .optional()
    .describe('A status, or a class like `4xx`; 0 for no response'),
  token: schemaBy(readToken, {
    anyOf: [{ type: 'integer', exclusiveMinimum: 0 }, { type: 'string' }, { type: 'null' }],
  })
    .optional()
    .describe('A token by id, name or bearer value; null, or an empty text, for no known token'),
  scheme: z.string().optional().describe('The scheme of the Authorization header'),
  project: Whole.optional().describe('The id of the project in the path'),
  client_ip: z.string().optional().describe('The client address'),
  decided_by: z
    .string()
    .optional()
    .describe('Like `fault 3`, `minute window`, `project_not_found`'),
  gap: schemaBy(readGap, { type: 'string' })
    .optional()
    .describe('A gap that the response relies on, by its id or its policy'),
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
