import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { JournalRequest, RequestDetail, Review } from '../../api/types.ts'
import { CopyButton, CopyText } from '../../parts/copy-button.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { Secret } from '../../parts/secret.tsx'
import { shorten } from '../../parts/texts.ts'
import { withCode } from '../../parts/with-code.tsx'
import { journal, targetOf } from '../../state/journal.ts'
import { hrefWith } from '../../state/location.ts'
import { useResource } from '../../state/resource.ts'
import { isUsable, listTokens } from '../../state/tokens.ts'
import { ClosedNote } from '../connect/closed-note.tsx'
import { stateOf, useLastSequence } from '../traffic/review.tsx'

/** So many requests are looked at for one that this page did not send. */
const LOOKED_AT = 8

/** So many kinds of mistakes are shown; Traffic has all. */
const SHOWN = 3

type Check = Review['checks'][number]

interface Client {
  /** Its latest request. */
  request: JournalRequest
  agent: string
  mistakes: readonly (Pick<Check, 'id' | 'severity'> & { message: string; sequence: number })[]
}

/** Whether a client has called, and with what success; what it needs, as long as none has. */
export function ClientCard({ agency }: { agency: number | undefined }) {
  const { value } = useResource(readClient, [], useLastSequence())
  return (
    <section class="card client" aria-label="Your client">
      {value ? <Called {...value} /> : <Waiting agency={agency} />}
    </section>
  )
}

async function readClient(signal: AbortSignal): Promise<Client | undefined> {
  const { requests: count, checks } = await api.get('/review', {}, signal)
  if (count === 0) return undefined
  const requests = journal.peek().entries.filter((entry) => entry.kind === 'request')
  for (const request of requests.slice(-LOOKED_AT).toReversed()) {
    const agent = await readAgent(request, signal)
    if (agent === null) continue
    return { request, agent, mistakes: await readMistakes(checks, requests, signal) }
  }
  return undefined
}

/** Who has sent a request, once that is known. */
const agents = new WeakMap<JournalRequest, string | null>()

/** The `User-Agent` of a request; null where this page has sent it, or it is not kept any more. */
async function readAgent(request: JournalRequest, signal: AbortSignal): Promise<string | null> {
  const known = agents.get(request)
  if (known !== undefined) return known
  const detail = await readKept(request.sequence, signal)
  const headers = detail?.request_headers ?? []
  const sent = headers.find(({ name }) => name.toLowerCase() === 'user-agent')?.value ?? ''
  // Another page of this browser names its origin.
  const isOwn = sent === navigator.userAgent && detail?.page_origin === null
  const agent = !detail || isOwn ? null : sent
  agents.set(request, agent)
  return agent
}

/** A request with its headers; undefined for one that is not kept any more. */
async function readKept(sequence: number, signal: AbortSignal): Promise<RequestDetail | undefined> {
  try {
    return await api.get(`/requests/${sequence}`, {}, signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** The first mistakes of the client, one of a kind. */
async function readMistakes(
  checks: readonly Check[],
  requests: readonly JournalRequest[],
  signal: AbortSignal,
): Promise<Client['mistakes']> {
  const mistakes: Client['mistakes'][number][] = []
  for (const { id, severity, findings } of checks) {
    for (const finding of findings.slice(0, LOOKED_AT)) {
      const sequence = finding.requests.at(-1)?.sequence
      const request = requests.find((one) => one.sequence === sequence)
      if (!request || (await readAgent(request, signal)) === null) continue
      mistakes.push({ id, severity, message: finding.message, sequence: request.sequence })
      break
    }
    if (mistakes.length === SHOWN) break
  }
  return mistakes
}

function Waiting({ agency }: { agency: number | undefined }) {
  const { value: tokens = [] } = useResource(listTokens, [])
  const base = `${location.origin}/api/v1`
  const token = tokens.find(
    (one) => isUsable(one) && (one.agency === null || one.agency === agency),
  )
  return (
    <>
      <StateWord state="pending">Waiting for your client</StateWord>
      <span class="given">
        <span class="soft">Base URL</span> <CopyText text={base} what="the base URL" />
        <CopyButton text={base} what="the base URL" />
      </span>
      {token && (
        <span class="given">
          <span class="soft">Token</span> <Secret text={token.token} />
          <CopyButton text={token.token} what="the token" />
        </span>
      )}
      <a href={hrefWith({ panel: 'connect' })}>A first request, and all tokens</a>
      <ClosedNote />
    </>
  )
}

function Called({ request, agent, mistakes }: Client) {
  const { sequence, method, status } = request
  return (
    <>
      <span>
        <b>
          <bdi>{shorten(agent, 80) || 'A client without a User-Agent'}</bdi>
        </b>{' '}
        has called
      </span>
      <a href={requestHref(sequence)}>
        <StateWord state={status < 400 ? 'completed' : 'failed'}>{status}</StateWord>{' '}
        <code>
          {method.slice(0, 12)} {shorten(targetOf(request), 120)}
        </code>
      </a>
      {mistakes.length === 0 && <StateWord state="completed">No mistakes found</StateWord>}
      <a href={hrefWith({ panel: 'traffic' })}>All requests</a>
      {mistakes.length > 0 && (
        <ul>
          {mistakes.map((mistake) => (
            <li key={mistake.id}>
              <StateWord state={stateOf(mistake)}>{mistake.severity}</StateWord>{' '}
              {withCode(mistake.message)} <a href={requestHref(mistake.sequence)}>See it</a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function requestHref(sequence: number): string {
  return hrefWith({ panel: 'traffic', request: String(sequence) })
}
