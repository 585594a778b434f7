import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { transport } from '../../api/transport.ts'
import type { JournalRequest, Review } from '../../api/types.ts'
import { CopyButton, CopyText } from '../../parts/copy-button.tsx'
import { StateWord, Secret, withCode } from '../../parts/marked-text.tsx'
import { isUsable, listTokens } from '../../state/client-requests.ts'
import { currentWorld, DEFAULT_WORLD } from '../../state/current-world.ts'
import { journal, targetOf } from '../../state/kept-journal.ts'
import { hrefWith } from '../../state/location.ts'
import { useResource, useGet } from '../../state/resource.ts'
import { stateOf, useLastSequence } from '../traffic/client-review.tsx'

/** How many kinds of mistakes are shown; Traffic has all. */
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
  const request = journal
    .peek()
    .entries.findLast((entry) => entry.kind === 'request' && !entry.from_console)
  if (count === 0 || request?.kind !== 'request') return undefined
  const agent = await readAgent(request, signal)
  return agent === undefined ? undefined : { request, agent, mistakes: mistakesOf(checks) }
}

/** The `User-Agent` of each request, once that is known. */
const agents = new WeakMap<JournalRequest, string>()

/** Who has sent a request; undefined where it is not kept any more. */
async function readAgent(
  request: JournalRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const known = agents.get(request)
  if (known !== undefined) return known
  const detail = await orNull(api.get(`/requests/${request.sequence}`, {}, signal))
  if (!detail) return undefined
  const header = detail.request_headers.find(({ name }) => name.toLowerCase() === 'user-agent')
  const agent = header?.value ?? ''
  agents.set(request, agent)
  return agent
}

/** The first mistakes of the client, one of a kind. */
function mistakesOf(checks: readonly Check[]): Client['mistakes'] {
  return checks
    .flatMap(({ id, severity, findings: [first] }) => {
      const sequence = first?.requests.at(-1)?.sequence
      return first && sequence !== undefined
        ? [{ id, severity, message: first.message, sequence }]
        : []
    })
    .slice(0, SHOWN)
}

function Waiting({ agency }: { agency: number | undefined }) {
  const { value: tokens = [] } = useResource(listTokens, [])
  const base = `${transport().base}/api/v1`
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
          <bdi>{fitOnLine(agent, 80) || 'A client without a User-Agent'}</bdi>
        </b>{' '}
        has called
      </span>
      <a href={requestHref(sequence)}>
        <StateWord state={status < 400 ? 'completed' : 'failed'}>{status}</StateWord>{' '}
        <code>
          {method.slice(0, 12)} {fitOnLine(targetOf(request), 120)}
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

/** Note in the default world of a host, if it is closed to clients; otherwise nothing. */
export function ClosedNote() {
  const { default_world: standing } = useGet('/health').value ?? {}
  if (standing !== 'closed' || currentWorld.value !== DEFAULT_WORLD) return null
  return (
    <p class="note">
      The default world is closed: its built-in tokens get a 401. Invite{' '}
      <a href={hrefWith({ panel: 'partners' })}>partners</a>.
    </p>
  )
}
