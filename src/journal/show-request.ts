import { withoutControls } from '../contract/text.ts'
import { toEndpoint } from '../contract/routes.ts'
import { POLICIES } from '../contract/gaps.ts'
import { toDateTime } from '../contract/time.ts'
import type { PolicyName } from '../contract/policies.ts'
import type { JournalRequest } from './journal-request.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { RequestDetail } from './request-detail.ts'
import { schemeOf } from './redactor.ts'
import type { Redactor } from './redactor.ts'
import { showRequestHeaders } from './show-headers.ts'

/** What is needed to show entries: the id of their world, and the redactor that hides its bearer values. */
export interface View {
  world: string
  redactor: Redactor
}

/** A request as the journal shows it. */
export function toRequest(recorded: RecordedRequest, { world, redactor }: View): JournalRequest {
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

/** The same with everything that is kept of it but its body. */
export function toDetail(recorded: RecordedRequest, view: View): RequestDetail {
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

/** A request target, or a header's value, as it is shown. */
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

/** When the last byte of a response was sent; null where that is not known, or not known yet. */
function responseSentAt(recorded: RecordedRequest): string | null {
  const { responseEnd, connection, atMs, rateOffsetMs, durationMicros } = recorded
  if (responseEnd?.isAborted === true) return null
  if (responseEnd) return toDateTime(responseEnd.rateMs)
  if (responseEnd === null || connection === undefined || durationMicros === null) return null
  return toDateTime(Math.ceil(atMs + rateOffsetMs + durationMicros / 1000))
}
