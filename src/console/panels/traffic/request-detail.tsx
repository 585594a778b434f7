import type { WAIT_TOLERANCE_MS } from '../../../contract/limits.ts'
import { Code as CodeIcon, Copy, Play } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { decidingFault, remedyOf } from '../../../wording/decision.ts'
import { delaysAll } from '../../../wording/fault-words.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { toSecond } from '../../../wording/times.ts'
import { untilWords } from '../../parts/rate-left.tsx'
import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { transport } from '../../api/transport.ts'
import type { JournalRequest } from '../../api/types.ts'
import { mayWriteTests } from '../../frame/code-panel.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyAs, CopyText } from '../../parts/copy-button.tsx'
import { BreakingPath, StateWord, Status, withCode } from '../../parts/marked-text.tsx'
import { Unread } from '../../parts/placeholders.tsx'
import { Headers, Readable, GapList } from '../../parts/readable.tsx'
import { Section } from '../../parts/section.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { projectName } from '../../state/agency.ts'
import { targetOf } from '../../state/shown-journal.ts'
import { hrefWith } from '../../state/location.ts'
import { useResource } from '../../state/resource.ts'
import { SEVERITY_STATES } from './client-review.tsx'
import { openedFile } from './opened-file.ts'
import { addToTest, sendAgain, toClientRequest } from './send-again.ts'
import type { Detail } from './traffic-file.ts'
import { NO_FILTER, countUpTo, durationOf, toClock } from './traffic-lines.ts'
import type { Filter } from './traffic-lines.ts'
import { allLines, faultOf, foundAt, requestReason, titleOfFault } from './traffic-state.ts'

type View = 'response' | 'request' | 'questions' | 'details'

interface DetailProps {
  request: JournalRequest
  close: ComponentChildren
}

export function RequestDetailView({ request, close }: DetailProps) {
  const [view, setView] = useState<View>('response')
  const [isCode, setCode] = useState(false)
  const file = openedFile.value
  const { sequence, method, status, gaps } = request
  const read = useResource(
    (signal): Promise<Detail | null> =>
      file ? file.detailOf(sequence) : orNull(api.get(`/requests/${sequence}`, {}, signal)),
    [file, sequence],
  )
  const detail = read.value
  const target = fitOnLine(targetOf(request), 1000)
  const titles = {
    response: 'Response',
    request: 'Request',
    ...(gaps.length > 0 && { questions: `Open questions ${gaps.length}` }),
    details: 'Details',
  }
  return (
    <Section
      class="beside detail"
      label="Request"
      title={
        <>
          <Status status={status} /> {method !== 'GET' && <code>{method.slice(0, 12)} </code>}
          <CopyText text={target} name="the path" />
        </>
      }
      aside={close}
    >
      <Reason request={request} />
      {status === 429 && detail && <RetryWait request={request} detail={detail} />}
      <div class="row">
        {!file && (
          <>
            <Button
              icon={Play}
              disabled={!detail}
              onPress={() => detail && sendAgain(request, detail)}
            >
              Send again
            </Button>
            {mayWriteTests() && (
              <Button
                icon={CodeIcon}
                disabled={!detail}
                onPress={() => detail && addToTest(request, detail)}
              >
                As a test
              </Button>
            )}
          </>
        )}
        <Button icon={Copy} pressed={isCode} disabled={!detail} onPress={() => setCode(!isCode)}>
          Copy as …
        </Button>
      </div>
      {isCode && detail && <Code request={request} detail={detail} />}
      <Tabs
        label="Parts of the request"
        titles={titles}
        selected={view}
        onSelect={setView}
        controls="request-view"
      />
      <div id="request-view" role="tabpanel" aria-label={titles[view]}>
        {view === 'details' && <Facts request={request} />}
        {view === 'questions' && <GapList ids={gaps} sequence={file ? undefined : sequence} />}
        <Unread of={read} />
        {detail === null && (view === 'response' || view === 'request') && (
          <p class="soft">Its headers are not kept any more.</p>
        )}
        {detail && view === 'response' && <Response request={request} detail={detail} />}
        {detail && view === 'request' && (
          <Headers headers={detail.request_headers} omitted={detail.omitted_headers} />
        )}
      </div>
    </Section>
  )
}

function Reason({ request }: { request: JournalRequest }) {
  const reason = requestReason(request)
  const { remedy = '', section } = remedyOf(request) ?? {}
  const found = foundAt(request.sequence)
  const [, project] =
    (!openedFile.value && request.rule !== null && PROJECT.exec(request.path)) || []
  return (
    <>
      {(reason !== '' || found.length === 0) && (
        <Statement lead={reason || answered(request)} more={remedy} section={section} />
      )}
      {found.map(({ check, message, instead }) => (
        <Statement
          key={message}
          lead={message}
          more={instead}
          section={check.section}
          mark={<StateWord state={SEVERITY_STATES[check.severity]}>{check.severity}</StateWord>}
        />
      ))}
      {project !== undefined && (
        <a href={hrefWith({ panel: 'world', project, report: undefined, request: undefined })}>
          Each report of <bdi>{projectName(Number(project))}</bdi>, with the reason
        </a>
      )}
    </>
  )
}

const PROJECT = /\/projects\/(\d+)\/reports/

interface StatementProps {
  lead: string
  more: string
  section?: string | undefined
  mark?: ComponentChildren
}

function Statement({ lead, more, section, mark }: StatementProps) {
  return (
    <div>
      <p class={mark === undefined ? 'lead' : ''}>
        {mark} <bdi>{withCode(fitOnLine(lead))}</bdi>
      </p>
      <p>
        {withCode(more)}{' '}
        {section !== undefined && (
          <small class="soft">
            Section <bdi>{section}</bdi> of the specification
          </small>
        )}
      </p>
    </div>
  )
}

function answered(request: JournalRequest): string {
  if (request.status === 0) return 'No response'
  const time = durationOf(request)
  return `Answered ${time === '–' ? `with ${request.status}` : `in ${time}`}`
}

/** The time at which the token works again after a 429, and the next request with the token. */
function RetryWait({ request, detail }: PartProps) {
  const valueOf = (header: RegExp) =>
    detail.response_headers.find(({ name }) => header.test(name))?.value
  const wait = valueOf(/^retry-after$/i)
  const seconds = Number(wait)
  const at = Date.parse(request.clock.rate_clock)
  if (wait === undefined || !Number.isFinite(seconds) || Number.isNaN(at)) return null
  const resetMs = Number(valueOf(/^x-ratelimit-reset$/i)) * SECOND_MS
  const untilMs = resetMs > at ? resetMs : at + seconds * SECOND_MS
  return (
    <p>
      {decidingFault(request) ? 'It asks to wait until' : 'The token can be used again from'}{' '}
      <b>{toClock(untilMs)}</b>, {untilWords(seconds * SECOND_MS)} later.{' '}
      <bdi>{nextRequestWords(request, seconds)}</bdi>
    </p>
  )
}

const SECOND_MS = 1000

function nextRequestWords(request: JournalRequest, waitS: number): string {
  const { sequence, token_id, clock } = request
  const lines = allLines.value
  const next = lines
    .slice(countUpTo(lines, sequence))
    .find(({ entry }) => entry.kind === 'request' && entry.token_id === token_id)?.entry
  if (next?.kind !== 'request') return 'The token has not been used since.'
  const passed = (Date.parse(next.clock.rate_clock) - Date.parse(clock.rate_clock)) / SECOND_MS
  const who = next.from_console ? 'This console' : 'Your client'
  const early = waitS - passed
  const timing =
    early * SECOND_MS > TOLERANCE_MS ? `, ${toSeconds(early)} too early` : ', late enough'
  const isSame = next.method === request.method && targetOf(next) === targetOf(request)
  const repeated = isSame ? 'the same request' : `another request, ${fitOnLine(targetOf(next))}`
  return `${who} came back after ${toSeconds(passed)}${timing}, with ${repeated}, and got ${next.status || 'no response'}.`
}

/** Tolerance for requests before the end of a wait, the same as in the review. */
const TOLERANCE_MS: typeof WAIT_TOLERANCE_MS = 100

function toSeconds(seconds: number): string {
  return `${seconds < 10 ? Math.max(0, seconds).toFixed(1) : Math.round(seconds)} s`
}

interface PartProps {
  request: JournalRequest
  detail: Detail
}

function Response({ request, detail: { body, response_headers } }: PartProps) {
  return (
    <>
      <Headers headers={response_headers} />
      {body !== null && body !== '' && <Readable body={body} name="the body" />}
      {body === null && <p class="soft">{reasonForNoBody(request)}</p>}
    </>
  )
}

function reasonForNoBody({ body_bytes, method }: JournalRequest): string {
  if (openedFile.peek()) return 'The file has no body of it.'
  if (body_bytes === 0 || method === 'HEAD') return 'It had no body.'
  return `Its body of ${body_bytes.toLocaleString('en')} bytes is not kept: the sandbox keeps those of the last 200 responses, while this page is open.`
}

/** The request as code. For a request of a file, which contains no bearer values, the code has a placeholder for the token. */
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

function Facts({ request }: { request: JournalRequest }) {
  const { path, token, scheme, route, decided_by, rule, faults, clock } = request
  const { delay_ms, body_bytes } = request
  const meant = faults.filter((id) => {
    const fault = faultOf(id)
    return !fault || !delaysAll(fault)
  })
  return (
    <dl class="pairs facts">
      <Fact name="Decided by">
        <span class="mono">{decided_by || 'unknown'}</span>
        {rule !== null && `, ${rule}`}
      </Fact>
      {foundAt(request.sequence).map(({ check }) => (
        <Fact key={check.id} name="Finding">
          <code>{check.id}</code>
        </Fact>
      ))}
      {meant.length > 0 && (
        <Fact name="Faults">
          {meant.map((id) => (
            <FilterLink key={id} filter={{ fault: String(id) }}>
              {titleOfFault(id)}
            </FilterLink>
          ))}
        </Fact>
      )}
      <Fact name="Token">
        <FilterLink filter={{ token: token ?? 'none' }}>
          <bdi>
            {token?.slice(0, 200) ?? (scheme === null ? 'Without a token' : 'An unknown token')}
          </bdi>
        </FilterLink>
      </Fact>
      <Fact name="Endpoint">
        <FilterLink filter={{ operation: route ?? 'none' }}>
          <BreakingPath path={route ?? 'An unknown path'} />
        </FilterLink>
        <FilterLink filter={{ path }}>This path alone</FilterLink>
      </Fact>
      <Fact name="Clocks">
        {toClockTime(clock.now)}
        {clock.rate_clock !== clock.now && (
          <span class="soft"> rate {toClockTime(clock.rate_clock)}</span>
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

/** Formats a time to the second: `18 Nov 2026 09:30:05`; `unknown` for an invalid time, which a file may contain. */
export function toClockTime(time: string): string {
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

function FilterLink({ filter, children }: { filter: Filter; children: ComponentChildren }) {
  return (
    <a href={hrefWith({ ...NO_FILTER, ...filter })} title="List these alone">
      {children}
    </a>
  )
}
