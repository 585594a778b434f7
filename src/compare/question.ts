import { isMap } from '../contract/read-fields.ts'
import { API_PREFIX } from '../contract/url.ts'
import { route } from '../engine/router.ts'
import type { Route } from '../engine/router.ts'

export interface ServiceRequest {
  /** Path below the base URL, with its query: `/api/v1/projects?page=0`. */
  path: string
  /** `read` for a request that provides data for the fixture; `question` for a request that only shows the service's policies. */
  role: 'read' | 'question'
  /** False to accept a body of any type; if omitted, only JSON is accepted. */
  acceptsJson?: false
  /** `none` to send no token, `lower-case` to write the scheme as `bearer`; if omitted, the scheme is `Bearer`. */
  authorization?: 'none' | 'lower-case'
}

/** Display names of the compared headers, by their names in lower case. */
export const COMPARED_HEADERS = {
  allow: 'Allow',
  location: 'Location',
  'content-type': 'Content-Type',
  'x-ratelimit-limit': 'X-RateLimit-Limit',
} as const
export type ComparedHeader = keyof typeof COMPARED_HEADERS
export const COMPARED_HEADER_NAMES = Object.keys(COMPARED_HEADERS) as ComparedHeader[]

export interface ComparedResponse {
  status: number
  headers: { readonly [Name in ComparedHeader]?: string | undefined }
  body: string
}

export interface ServiceAnswer extends ComparedResponse {
  question: ServiceRequest
  /** Time of the answer, in ISO 8601: its `Date` header, or else the time at which this machine sent the request. */
  at: string
}

export function toRead(path: string): ServiceRequest {
  return { path: API_PREFIX + path, role: 'read' }
}

export function headersToSend(
  { acceptsJson, authorization }: ServiceRequest,
  token: string,
): { accept: string; authorization?: string } {
  const scheme = authorization === 'lower-case' ? 'bearer' : 'Bearer'
  return {
    accept: acceptsJson === false ? '*/*' : 'application/json',
    ...(authorization !== 'none' && { authorization: `${scheme} ${token}` }),
  }
}

function keyOf({ path, acceptsJson, authorization }: ServiceRequest): string {
  return JSON.stringify([path, acceptsJson ?? true, authorization ?? ''])
}

/** Returns the endpoint of a question, regardless of its query; undefined if there is none. */
export function askedRoute({ path }: ServiceRequest): Route | undefined {
  return route(path.split('?')[0] ?? '')
}

/** Returns the limit per minute in the headers of a response; undefined if they have none. */
export function limitIn({ headers }: Pick<ComparedResponse, 'headers'>): number | undefined {
  const text = headers['x-ratelimit-limit'] ?? ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

/** The answers so far, one per question, in order of arrival. */
export class Answers {
  readonly #byKey = new Map<string, ServiceAnswer>()

  constructor(answers: readonly ServiceAnswer[] = []) {
    for (const answer of answers) this.add(answer)
  }

  /** Adds an answer, replacing any earlier one to the same question. */
  add(answer: ServiceAnswer): void {
    const key = keyOf(answer.question)
    this.#byKey.delete(key)
    this.#byKey.set(key, answer)
  }

  has(question: ServiceRequest): boolean {
    return this.#byKey.has(keyOf(question))
  }

  get all(): ServiceAnswer[] {
    return [...this.#byKey.values()]
  }

  /**
   * Returns the JSON body of the answer to GET `path`, which is below `/api/v1`; undefined unless the answer is a 200 with
   * JSON.
   */
  bodyOf(path: string): unknown {
    const answer = this.#byKey.get(keyOf(toRead(path)))
    return answer?.status === 200 ? toJsonValue(answer.body) : undefined
  }
}

export function toJsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns the field `name` of a map; undefined if the value is not a map, or lacks the field. */
export function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Returns the items of the list in `data`; empty if `data` is not a list. */
export function itemsOf(body: unknown): unknown[] {
  const data = fieldOf(body, 'data')
  return Array.isArray(data) ? data : []
}
