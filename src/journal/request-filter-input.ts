import { z } from 'zod'
import { DateTimeInput } from '../contract/conventions.ts'
import type { Reader, ValueOf } from '../contract/read-fields.ts'
import { FILTER_FIELDS, STATUS_CLASS } from './request-filter.ts'

type JsonSchema = Record<string, unknown>

/** The schema of what a reader reads, which it validates; `documented` is the JSON Schema of its input. */
export function schemaBy<Value>(
  read: Reader<Value, unknown>,
  documented: JsonSchema,
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

type Fields = typeof FILTER_FIELDS

/** The JSON Schema and the description of each field. */
const DOCUMENTED: Record<keyof Fields, readonly [JsonSchema, string]> = {
  route: [TEXT, 'An endpoint, like `GET /projects/{project}`; without a method, any method'],
  method: [TEXT, 'The method, in any case'],
  path: [TEXT, 'The path as sent'],
  query: [{ anyOf: [TEXT, PARAMETERS] }, 'A part of the query as sent, or parameters that it has'],
  status: [STATUS, 'A status, or a class like `4xx`; 0 for no response'],
  token: [TOKEN, 'A token by id, name or bearer value; null, or an empty text, for no known token'],
  scheme: [TEXT, 'The scheme of the Authorization header'],
  project: [WHOLE, 'The id of the project in the path'],
  client_ip: [TEXT, 'The client address'],
  decided_by: [TEXT, 'Like `fault 3`, `minute window`, `project_not_found`'],
  gap: [TEXT, 'A gap that the response relies on, by its id or its policy'],
  fault: [WHOLE, 'The id of a fault that affected the response'],
  sequence: [WHOLE, 'The request with that sequence'],
  since: [WHOLE, 'Only those after that sequence'],
  until: [WHOLE, 'Only those up to and including that sequence'],
  from: [TIME, 'The earliest time on the world clock'],
  to: [TIME, 'The latest time on the world clock'],
  rate_from: [TIME, 'The earliest time on the rate clock'],
  rate_to: [TIME, 'The latest time on the rate clock'],
  min_body_bytes: [WHOLE, 'The smallest size of the response body'],
  max_body_bytes: [WHOLE, 'The largest size of the response body'],
  min_duration_ms: [MILLISECONDS, 'The shortest time that it took'],
  max_duration_ms: [MILLISECONDS, 'The longest time that it took'],
}

type Shape = { [Name in keyof Fields]: z.ZodOptional<z.ZodType<ValueOf<Fields[Name]>>> }

const shape = Object.entries(DOCUMENTED).map(([name, [schema, description]]) => {
  const read: Reader<unknown, unknown> = FILTER_FIELDS[name as keyof Fields]
  return [name, schemaBy(read, schema).optional().describe(description)] as const
})

/** Selects the requests of the journal that meet every criterion here; all of them for `{}`. */
export const RequestFilter = z.strictObject(Object.fromEntries(shape) as unknown as Shape)
