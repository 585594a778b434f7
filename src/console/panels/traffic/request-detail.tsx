import { transport } from '../../api/transport.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { orNull } from '../../api/api-error.ts'
import type { JournalRequest } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { CopyAs } from '../../parts/copy-as.tsx'
import { CopyText } from '../../parts/copy-button.tsx'
import { Headers, Readable } from '../../parts/readable.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { shorten } from '../../../wording/shorten.ts'
import { Unread } from '../../parts/unread.tsx'
import { targetOf } from '../../state/journal.ts'
import { useResource } from '../../state/resource.ts'
import { Facts } from './facts.tsx'
import { openedFile } from './opened-file.ts'
import { Status } from './request-list.tsx'
import { sendAgain, toClientRequest } from './send-again.ts'
import type { Detail } from './traffic-file.ts'
import { why } from './traffic-state.ts'

const VIEWS = {
  response: 'Response',
  details: 'Details',
  request: 'Request',
  code: 'Copy as',
}

/** A request with everything that is kept of it, and what can be done with it. */
export function RequestDetail({
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
          {method.slice(0, 12)} <CopyText text={shorten(target, 1000)} what="the path" />
        </h2>
        {close}
      </header>
      <div class="answer">
        <p>
          <Status status={status} /> <bdi>{why(request)}</bdi>
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
