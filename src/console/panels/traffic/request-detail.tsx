import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { delaysAll } from '../../../wording/fault-words.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { toSecond } from '../../../wording/times.ts'
import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { transport } from '../../api/transport.ts'
import type { JournalRequest, ClientRequest, AppliedCommand } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { CopyAs, CopyText } from '../../parts/copy-button.tsx'
import { Unread } from '../../parts/placeholders.tsx'
import { Headers, Readable, GapList } from '../../parts/readable.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { entryOf, sendRequest } from '../../state/client-requests.ts'
import { targetOf } from '../../state/kept-journal.ts'
import { hrefWith } from '../../state/location.ts'
import { showNotice } from '../../state/notices.ts'
import { useResource } from '../../state/resource.ts'
import { openedFile } from './opened-file.ts'
import { Status } from './request-list.tsx'
import type { Detail } from './traffic-file.ts'
import { NO_FILTER, durationOf } from './traffic-lines.ts'
import type { Filter } from './traffic-lines.ts'
import { requestReason, faultOf, foundAt, titleOfFault, heldAt, select } from './traffic-state.ts'

const VIEWS = {
  response: 'Response',
  details: 'Details',
  request: 'Request',
  code: 'Copy as',
}

/** A request with everything that is kept of it, and what can be done with it. */
export function RequestDetailView({
  request,
  close,
}: {
  request: JournalRequest
  close: ComponentChildren
}) {
  const [view, setView] = useState<keyof typeof VIEWS>('response')
  const file = openedFile.value
  const { sequence, method, status } = request
  const kept = useResource(
    (signal): Promise<Detail | null> =>
      file ? file.detailOf(sequence) : orNull(api.get(`/requests/${sequence}`, {}, signal)),
    [file, sequence],
  )
  const detail = kept.value
  const wait = detail?.response_headers.find(({ name }) => /^retry-after$/i.test(name))?.value
  const target = targetOf(request)
  return (
    <section class="card detail" aria-label="Request">
      <header>
        <h2>
          {method.slice(0, 12)} <CopyText text={fitOnLine(target, 1000)} what="the path" />
        </h2>
        {close}
      </header>
      <div class="answer">
        <p>
          <Status status={status} /> <bdi>{requestReason(request)}</bdi>
          {wait && `, Retry-After ${wait} s`}
        </p>
        {!file && (
          <Button
            variant="primary"
            disabled={!detail}
            onPress={() => detail && sendAgain(request, detail)}
          >
            Send again
          </Button>
        )}
      </div>
      <div class="views">
        <Tabs
          label="Parts of the request"
          titles={VIEWS}
          selected={view}
          onSelect={setView}
          controls="request-view"
        />
        <div id="request-view" role="tabpanel" aria-label={VIEWS[view]}>
          {view === 'details' && <Facts request={request} />}
          <Unread of={kept} />
          {detail === null && view !== 'details' && (
            <p class="soft">Its headers are not kept any more.</p>
          )}
          {detail && view === 'response' && <Response request={request} detail={detail} />}
          {detail && view === 'request' && (
            <Headers headers={detail.request_headers} omitted={detail.omitted_headers} />
          )}
          {detail && view === 'code' && <Code request={request} detail={detail} />}
        </div>
      </div>
    </section>
  )
}

interface PartProps {
  request: JournalRequest
  detail: Detail
}

function Response({ request, detail: { body, response_headers } }: PartProps) {
  return (
    <>
      {body !== null && body !== '' && <Readable body={body} what="the body" />}
      {body === null && <p class="soft">{reasonForNoBody(request)}</p>}
      <h3>Headers</h3>
      <Headers headers={response_headers} />
    </>
  )
}

function reasonForNoBody({ body_bytes, method }: JournalRequest): string {
  if (openedFile.peek()) return 'The file has no body of it.'
  if (body_bytes === 0 || method === 'HEAD') return 'It had no body.'
  return `Its body of ${body_bytes.toLocaleString('en')} bytes is not kept: the sandbox keeps those of the last 200 responses, while this page is open.`
}

/** In a file there are no tokens: the code has a place for one. */
function Code({ request, detail }: PartProps) {
  const file = openedFile.value
  const written = useResource(
    (signal) => toClientRequest(file ? { ...request, token_id: null } : request, detail, signal),
    [request],
  )
  const { value } = written
  if (!value) return <Unread of={written} lines={3} />
  return <CopyAs request={value} origin={file ? detail.origin : transport().base} />
}

/** Why a request got its response, and what else is known of it. */
function Facts({ request }: { request: JournalRequest }) {
  const { path, token, scheme, route, decided_by, rule, faults, gaps, clock } = request
  const { delay_ms, body_bytes } = request
  const meant = faults.filter((id) => {
    const fault = faultOf(id)
    return !fault || !delaysAll(fault)
  })
  return (
    <dl class="facts">
      <Fact name="Decided by">
        <span class="mono">{decided_by || 'unknown'}</span>
        {rule !== null && `, ${rule}`}
      </Fact>
      {foundAt(request.sequence).map(({ check, message }) => (
        <Fact key={message} name="Finding">
          <bdi>{message}</bdi> <code class="soft">{check.id}</code>
        </Fact>
      ))}
      {gaps.length > 0 && (
        <Fact name="Gaps">
          <GapList ids={gaps} />
        </Fact>
      )}
      {meant.length > 0 && (
        <Fact name="Faults">
          {meant.map((id) => (
            <Only key={id} filter={{ fault: String(id) }}>
              {titleOfFault(id)}
            </Only>
          ))}
        </Fact>
      )}
      <Fact name="Token">
        <Only filter={{ token: token ?? 'none' }}>
          <bdi>
            {token?.slice(0, 200) ?? (scheme === null ? 'Without a token' : 'An unknown token')}
          </bdi>
        </Only>
      </Fact>
      <Fact name="Endpoint">
        <Only filter={{ operation: route ?? 'none' }}>{route ?? 'An unknown path'}</Only>
        <Only filter={{ path }}>This path alone</Only>
      </Fact>
      <Fact name="Clocks">
        {toTime(clock.now)}
        {clock.rate_clock !== clock.now && (
          <span class="soft"> rate {toTime(clock.rate_clock)}</span>
        )}
      </Fact>
      <Fact name="Response">
        {body_bytes.toLocaleString('en')} bytes
        {durationOf(request) !== '–' && ` in ${durationOf(request)}`}
        {delay_ms > 0 && `, delayed by ${durationOf({ delay_ms, duration_ms: 0 })}`}
      </Fact>
    </dl>
  )
}

function toTime(time: string): string {
  return Number.isNaN(Date.parse(time)) ? 'unknown' : toSecond(time)
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A link that narrows the list to what is the same. */
function Only({ filter, children }: { filter: Filter; children: ComponentChildren }) {
  return (
    <a href={hrefWith({ ...NO_FILTER, ...filter })} title="List these alone">
      {children}
    </a>
  )
}

/** Headers that change a response; the others are the browser's own. */
const KEPT_HEADERS = /^(?:accept|accept-language|if-none-match|if-modified-since|x-.+)$/i

/** A bearer value that no token has: what got a 401 gets it again. */
const UNKNOWN_TOKEN = 'unknown-token'

/** A request of the journal as a client sends it, with the value of its token. */
async function toClientRequest(
  request: JournalRequest,
  { request_headers }: Pick<Detail, 'request_headers'>,
  signal?: AbortSignal,
): Promise<ClientRequest> {
  const kept = request_headers.filter(
    ({ name, value }) => KEPT_HEADERS.test(name) && value !== '*/*' && value !== '*',
  )
  return {
    method: request.method,
    path: targetOf(request),
    token: await tokenOf(request, signal),
    headers: Object.fromEntries(kept.map(({ name, value }) => [name, value])),
  }
}

async function tokenOf(
  { token_id, scheme }: JournalRequest,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (token_id === null) return scheme === null ? undefined : UNKNOWN_TOKEN
  return (await api.get(`/records/tokens/${token_id}`, {}, signal)).token
}

/** Sends a request once more, selects what comes of it, and lets the list go along. */
async function sendAgain(request: JournalRequest, detail: Detail): Promise<void> {
  const again = await toClientRequest(request, detail)
  const sent = await sendRequest(again, `Sent ${again.method} ${again.path} again`)
  const { status } = sent.response
  const was = request.status === status ? 'as before' : `before ${request.status}`
  showNotice(`Sent again: ${status}, ${was}`)
  const entry = await entryOf(sent)
  if (!entry) return
  heldAt.value = entry.sequence
  select(entry.sequence)
}

/** A command of anybody, and the clocks after it. */
export function CommandDetail({
  applied: { command, clock },
  close,
}: {
  applied: AppliedCommand
  close: ComponentChildren
}) {
  return (
    <section class="card detail" aria-label="Command">
      <header>
        <h2>Command</h2>
        {close}
      </header>
      <dl class="facts">
        <div>
          <dt>World clock after it</dt>
          <dd>{Number.isNaN(Date.parse(clock.now)) ? 'unknown' : toSecond(clock.now)}</dd>
        </div>
      </dl>
      <div class="views">
        <Readable body={JSON.stringify(command)} what="the command" />
      </div>
    </section>
  )
}
