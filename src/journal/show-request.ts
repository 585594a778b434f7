import { POLICIES } from '../contract/gaps.ts'
import type { PolicyName } from '../contract/policies.ts'
import { toEndpoint } from '../contract/routes.ts'
import { withoutControls } from '../contract/text.ts'
import { toDateTime } from '../contract/time.ts'
import { VERSION } from '../contract/version.ts'
import type { JournalRequest } from './journal-request.ts'
import type { RequestDetail, HeaderPairs, HarEntry, HarFile } from './journal-schemas.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { schemeOf } from './secrets.ts'
import type { Redactor } from './secrets.ts'

/** The id of the world whose requests are shown, and the redactor that hides its bearer values. */
export interface JournalView {
  world: string
  redactor: Redactor
}

export function toRequest(
  recorded: RecordedRequest,
  { world, redactor }: JournalView,
): JournalRequest {
  const { sequence, atMs, target, sender, head, policies } = recorded
  const { token, authorization } = sender
  return {
    sequence,
    world,
    clock: {
      now: toDateTime(atMs + recorded.worldOffsetMs),
      rate_clock: toDateTime(atMs + recorded.rateOffsetMs),
    },
    method: redactor.inText(sender.method),
    path: shownTarget(target.path, redactor),
    query: shownTarget(recorded.query, redactor),
    route: target.operation ? toEndpoint(target.operation) : null,
    project: target.project,
    token: token ? redactor.inText(token.name) : null,
    token_id: token?.id ?? null,
    scheme: authorization === undefined ? null : schemeOf(authorization),
    client_ip: redactor.inText(sender.clientIp),
    from_console: sender.fromConsole === true,
    status: head.status,
    decided_by: decisionOf(head),
    rule: head.rule ?? null,
    gaps: policies.map((name) => GAP_IDS.get(name) ?? name).toSorted(),
    faults: [...head.faults],
    delay_ms: delayOf(head),
    body_bytes: recorded.bodyBytes,
    duration_ms: recorded.durationMicros === null ? null : recorded.durationMicros / 1000,
  }
}

/** Returns a request with all recorded details except its body. */
export function toDetail(recorded: RecordedRequest, view: JournalView): RequestDetail {
  const { redactor } = view
  const { sender, head, connection, responseEnd, shown } = recorded
  const { origin, headers, pageOrigin } = sender
  const show = (text: string): string => shownTarget(text, redactor)
  return {
    ...toRequest(recorded, view),
    origin: show(origin),
    request_headers: showRequestHeaders(recorded, { redactor, show }),
    omitted_headers: headers.omitted,
    page_origin: pageOrigin === undefined ? null : show(pageOrigin),
    connection: connection ?? null,
    sent_at: responseSentAt(recorded),
    aborted: responseEnd?.isAborted ?? false,
    reports: shown?.reports?.map((report) => ({ ...report })) ?? null,
    response_headers: Object.entries(head.headers).map(([name, value]) => ({
      name,
      value: show(value),
    })),
    body: null,
  }
}

/** Returns a request target, a header value or other text without bearer values and control characters. */
export function shownTarget(text: string, redactor: Redactor): string {
  return withoutControls(redactor.inTarget(text))
}

const GAP_IDS = new Map<PolicyName, string>(POLICIES.map(({ policy, id }) => [policy, id]))

type Head = RecordedRequest['head']

function delayOf({ wire }: Head): number {
  return (wire?.delayMs ?? 0) + (wire?.bodyMs ?? 0)
}

function decisionOf({ faults, delays = [], exhausted, problem }: Head): string {
  const fault = faults.find((id) => !delays.includes(id))
  if (fault !== undefined && problem === undefined) return `fault ${fault}`
  if (exhausted.length > 0) return `${exhausted.join(' and ')} window`
  return problem ?? 'resource'
}

/**
 * Returns the time by the rate clock at which the last byte of a response was sent. Null if the time is unknown, if the response is
 * still in progress, or if the client disconnected first.
 */
function responseSentAt(recorded: RecordedRequest): string | null {
  const { responseEnd, connection, atMs, rateOffsetMs, durationMicros } = recorded
  if (responseEnd?.isAborted === true) return null
  if (responseEnd) return toDateTime(responseEnd.rateMs)
  if (responseEnd === null || connection === undefined || durationMicros === null) return null
  return toDateTime(Math.ceil(atMs + rateOffsetMs + durationMicros / 1000))
}

/** Returns the headers of a recorded request, without credentials and cookies. `show` hides bearer values in all other headers. */
function showRequestHeaders(
  { sender }: Pick<RecordedRequest, 'sender'>,
  { redactor, show }: { redactor: Redactor; show: (text: string) => string },
): HeaderPairs {
  const { headers, authorization, token } = sender
  const credentials = authorization === undefined ? '' : toCredentials(authorization, token?.id)
  const showValue = (name: string, value: string): string => {
    switch (name.toLowerCase()) {
      case 'authorization':
        return credentials
      case 'proxy-authorization':
        return redactor.inAuthorization(value)
      case 'cookie':
        return '[cookie]'
      default:
        return show(value)
    }
  }
  const { raw = readByApi(sender) } = headers
  const pairs: HeaderPairs = []
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    // The pseudo-headers of HTTP/2 are left out, because they repeat the request line.
    if (!name.startsWith(':')) pairs.push({ name: show(name), value: showValue(name, value) })
  }
  return pairs
}

/** Returns the headers that the engine reads, as alternating names and values. Used if not all headers are known. */
function readByApi({ accept, authorization }: RecordedRequest['sender']): string[] {
  return [
    ...(accept === undefined ? [] : ['Accept', accept]),
    ...(authorization === undefined ? [] : ['Authorization', authorization]),
  ]
}

function toCredentials(authorization: string, tokenId: number | undefined): string {
  const token = tokenId === undefined ? '[unknown token]' : `[token ${tokenId}]`
  const scheme = schemeOf(authorization)
  return scheme === 'unknown' ? token : `${scheme} ${token}`
}

const UNKNOWN_SIZE = -1

/** Returns requests as an HTTP archive, without bearer values and bodies. */
export function toHar(requests: Iterable<RequestDetail>): HarFile {
  const creator = { name: 'seo-sandbox', version: VERSION }
  return { log: { version: '1.2', creator, entries: Array.from(requests, toHarEntry) } }
}

function toHarEntry(request: RequestDetail): HarEntry {
  const { origin, method, path, query, status, body_bytes, response_headers: headers } = request
  const valueOf = (name: string): string => headers.find((one) => one.name === name)?.value ?? ''
  // The HAR format has no value for an unmeasured time.
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
