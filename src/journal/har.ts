import { VERSION } from '../contract/version.ts'
import type { HarEntry, HarFile } from './har-file.ts'
import type { RequestDetail } from './request-detail.ts'

/** The format's value for an unknown size. */
const UNKNOWN_SIZE = -1

/** Requests as an HTTP archive, without bearer values or bodies. */
export function toHar(requests: Iterable<RequestDetail>): HarFile {
  const creator = { name: 'seo-sandbox', version: VERSION }
  return { log: { version: '1.2', creator, entries: Array.from(requests, toHarEntry) } }
}

function toHarEntry(request: RequestDetail): HarEntry {
  const { origin, method, path, query, status, body_bytes, response_headers: headers } = request
  const valueOf = (name: string): string => headers.find((one) => one.name === name)?.value ?? ''
  // The format has no value for a time that was not measured.
  const time = request.duration_ms ?? 0
  const search = query === '' ? '' : `?${query}`
  return {
    startedDateTime: request.clock.rate_clock,
    time,
    request: {
      method,
      url: `${origin}${path}${search}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: request.request_headers,
      queryString: Array.from(new URLSearchParams(query), ([name, value]) => ({ name, value })),
      headersSize: UNKNOWN_SIZE,
      bodySize: 0,
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers,
      content: { size: body_bytes, mimeType: valueOf('Content-Type') },
      redirectURL: valueOf('Location'),
      headersSize: UNKNOWN_SIZE,
      bodySize: body_bytes,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _sequence: request.sequence,
    _route: request.route,
    _token: request.token,
    _decided_by: request.decided_by,
    _rule: request.rule,
    _gaps: request.gaps,
    _faults: request.faults,
  }
}
