import { parseEndpoint } from '../contract/routes.ts'
import { describe } from '../contract/text.ts'
import { POLICIES } from '../contract/gaps.ts'
import { suggest } from '../contract/suggestion.ts'
import type { Validated } from '../contract/validation.ts'
import {
  emptyAsMap,
  isMap,
  orText,
  readCount,
  readDateTime,
  readFields,
  readNumber,
  readText,
  refuseInput,
} from '../contract/read-fields.ts'
import type { InputsOf, Reader, ValuesOf } from '../contract/read-fields.ts'

const readWhole = orText(readCount)
const readMilliseconds = orText(readNumber)

/**
 * Reads an endpoint with any HTTP method or none, such as `POST /projects`. Returns its path, preceded by the method if there is
 * one.
 */
const readRoute: Reader<string> = (input) => {
  const text = readText(input)
  if ('problems' in text) return text
  const { method, path } = splitRoute(text.value)
  const endpoint = parseEndpoint(path.startsWith('/') ? `GET ${path}` : path)
  if ('problems' in endpoint) return endpoint
  return { value: endpoint.value.replace(/^GET /, method === undefined ? '' : `${method} `) }
}

export function splitRoute(text: string): { method: string | undefined; path: string } {
  const [, method, path = text] = /^([a-z]+) +(\S.*)$/i.exec(text) ?? []
  return { method: method?.toUpperCase(), path }
}

type StatusClass = `${1 | 2 | 3 | 4 | 5}xx`
export const STATUS_CLASS = /^[1-5]xx$/

const readStatus: Reader<number | StatusClass, number | `${number}` | StatusClass> = (input) => {
  if (typeof input === 'string' && STATUS_CLASS.test(input)) return { value: input as StatusClass }
  const status = readWhole(input)
  return 'value' in status
    ? status
    : refuseInput(`${describe(input)} is not a status. Write one like 404, or a class like 4xx.`)
}

/** Reads the id, name or bearer value of a token; null means requests without a known token. */
const readToken: Reader<number | string | null> = (input) => {
  if (input === null || typeof input === 'string') return { value: input }
  return Number.isSafeInteger(input) && Number(input) > 0
    ? { value: Number(input) }
    : refuseInput(
        `${describe(input)} names no token. Write its id, name or bearer value, or null for requests of no known token.`,
      )
}

type Parameters = Record<string, string | number | boolean>

/** Reads a string that the query must contain, or a map of required parameters. */
const readQuery: Reader<string | Parameters> = (input) => {
  if (typeof input === 'string') return { value: input }
  const parameters = emptyAsMap(input)
  return isMap(parameters) && Object.values(parameters).every(isScalar)
    ? { value: parameters as Parameters }
    : refuseInput(
        `${describe(input)} is not a query. Write a part of its text, or a map of parameters that it must have.`,
      )
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

const GAP_IDS: readonly string[] = POLICIES.map(({ id }) => id)

/** Reads the id or the policy of a gap. Returns the id. */
const readGap: Reader<string> = (input) => {
  const text = readText(input)
  if ('problems' in text) return text
  const found = POLICIES.find(({ id, policy }) => id === text.value || policy === text.value)
  if (found) return { value: found.id }
  return refuseInput(`${describe(text.value)} is not a gap. ${suggest(text.value, GAP_IDS)}`)
}

/** The fields of a filter, each with its reader. `journal-schemas.ts` documents them. */
export const FILTER_FIELDS = {
  route: readRoute,
  method: readText,
  path: readText,
  query: readQuery,
  status: readStatus,
  token: readToken,
  scheme: readText,
  project: readWhole,
  client_ip: readText,
  decided_by: readText,
  gap: readGap,
  fault: readWhole,
  sequence: readWhole,
  since: readWhole,
  until: readWhole,
  from: readDateTime,
  to: readDateTime,
  rate_from: readDateTime,
  rate_to: readDateTime,
  min_body_bytes: readWhole,
  max_body_bytes: readWhole,
  min_duration_ms: readMilliseconds,
  max_duration_ms: readMilliseconds,
} as const

export type RequestFilter = ValuesOf<typeof FILTER_FIELDS>
/** A filter as input. A request must meet all criteria in it; `{}` selects all requests. */
export type RequestFilterInput = InputsOf<typeof FILTER_FIELDS>

export const readFilter: Reader<RequestFilter, RequestFilterInput> = (
  input,
): Validated<RequestFilter> => readFields(FILTER_FIELDS, input)
