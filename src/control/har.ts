import { VERSION } from '../version.ts'
import type { JournalExchange } from './journal.ts'

/** An HTTP archive, version 1.2; fields of our own begin with an underscore, as the format has it. */
export interface HarFile {
  log: {
    version: '1.2'
    creator: { name: string; version: string }
    entries: HarEntry[]
  }
}

interface HarPair {
  name: string
  value: string
}

interface HarEntry {
  /** On the rate clock, which is the one that `Date` shows. */
  startedDateTime: string
  time: number
  request: {
    method: string
    url: string
    httpVersion: string
    cookies: []
    headers: HarPair[]
    queryString: HarPair[]
    headersSize: number
    bodySize: number
  }
  response: {
    status: number
    statusText: string
    httpVersion: string
    cookies: []
    headers: HarPair[]
    /** The bodies are not kept. */
    content: { size: number; mimeType: string }
    redirectURL: string
    headersSize: number
    bodySize: number
  }
  cache: Record<string, never>
  timings: { send: number; wait: number; receive: number }
  _sequence: number
  _route: string | null
  _token: string | null
  _decided_by: string
  _gaps: string[]
  _faults: number[]
}

/** What the format writes for a size that is not known. */
const UNKNOWN_SIZE = -1

/** Requests as an HTTP archive, without bearer values and bodies. */
export function toHar(exchanges: readonly JournalExchange[]): HarFile {
  return {
    log: {
      version: '1.2',
      creator: { name: 'seo-sandbox', version: VERSION },
      entries: exchanges.map(toEntry),
    },
  }
}

function toEntry(exchange: JournalExchange): HarEntry {
  const { request, origin, responseHeaders } = exchange
  const { method, path, query, status, body_bytes, duration_ms } = request
  const search = query === '' ? '' : `?${query}`
  return {
    startedDateTime: request.clock.rate_clock,
    time: duration_ms,
    request: {
      method,
      url: `${origin}${path}${search}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: requestHeaders(exchange),
      queryString: toPairs(new URLSearchParams(query)),
      headersSize: UNKNOWN_SIZE,
      bodySize: 0,
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toPairs(Object.entries(responseHeaders)),
      content: { size: body_bytes, mimeType: responseHeaders['Content-Type'] ?? '' },
      redirectURL: responseHeaders['Location'] ?? '',
      headersSize: UNKNOWN_SIZE,
      bodySize: body_bytes,
    },
    cache: {},
    timings: { send: 0, wait: duration_ms, receive: 0 },
    _sequence: request.sequence,
    _route: request.route,
    _token: request.token,
    _decided_by: request.decided_by,
    _gaps: request.gaps,
    _faults: request.faults,
  }
}

function requestHeaders({ request, accept }: JournalExchange): HarPair[] {
  const { scheme, token_id } = request
  const token = token_id === null ? '[unknown token]' : `[token ${token_id}]`
  const credentials = scheme === 'unknown' ? token : `${scheme} ${token}`
  return [
    ...(accept === undefined ? [] : [{ name: 'Accept', value: accept }]),
    ...(scheme === null ? [] : [{ name: 'Authorization', value: credentials }]),
  ]
}

function toPairs(entries: Iterable<[string, string]>): HarPair[] {
  return [...entries].map(([name, value]) => ({ name, value }))
}
