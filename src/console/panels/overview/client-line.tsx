import { Plug } from 'lucide'
import { isUnprompted } from '../../../contract/url.ts'
import { countGrouped } from '../../../wording/count.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { toTime } from '../../../wording/times.ts'
import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { transport } from '../../api/transport.ts'
import type { JournalRequest } from '../../api/types.ts'
import { CopyButton, CopyText } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { BreakingPath, Secret, Status } from '../../parts/marked-text.tsx'
import { isUnrestricted, listTokens } from '../../state/client-requests.ts'
import { currentWorld, DEFAULT_WORLD } from '../../state/current-world.ts'
import { journal, targetOf } from '../../state/shown-journal.ts'
import { hrefWith } from '../../state/location.ts'
import { useResource, useGet, useLastSequence } from '../../state/resource.ts'

interface Client {
  request: JournalRequest
  agent: string
  findings: number
}

export function ClientLine({ agency }: { agency: number | undefined }) {
  const { value } = useResource(readClient, [], useLastSequence())
  return (
    <section class="client row soft" aria-label="The API">
      {value ? <Called {...value} /> : <Waiting agency={agency} />}
    </section>
  )
}

/** Shown instead of `ClientLine` on a static site, which no client can reach. */
export function VisitorLine() {
  return (
    <p class="soft">
      This demo is yours alone, in your browser: change what you like. <b>Start it again</b> brings
      it back.
    </p>
  )
}

async function readClient(signal: AbortSignal): Promise<Client | undefined> {
  const { requests: count, checks } = await api.get('/review', {}, signal)
  const request = journal
    .peek()
    .entries.findLast(
      (entry) => entry.kind === 'request' && !entry.from_console && !isUnprompted(entry.path),
    )
  if (count === 0 || request?.kind !== 'request') return undefined
  const detail = await orNull(api.get(`/requests/${request.sequence}`, {}, signal))
  if (!detail) return undefined
  const agent = detail.request_headers.find(({ name }) => /^user-agent$/i.test(name))?.value ?? ''
  const findings = checks.reduce((sum, { total, findings: all }) => sum + (total ?? all.length), 0)
  return { request, agent, findings }
}

function Waiting({ agency }: { agency: number | undefined }) {
  const { value: tokens = [] } = useResource(listTokens, [])
  const base = `${transport().base}/api/v1`
  const token = tokens.find(
    (each) => isUnrestricted(each) && (each.agency === null || each.agency === agency),
  )
  return (
    <>
      <span>
        <Icon of={Plug} /> Waiting for a first request
      </span>
      <span class="row">
        Base URL <CopyText text={base} name="the base URL" />
        <CopyButton text={base} name="the base URL" />
      </span>
      {token && (
        <span class="row">
          Token <Secret text={token.token} />
          <CopyButton text={token.token} name="the token" />
        </span>
      )}
      <a href={hrefWith({ panel: 'connect' })}>A first request, and all tokens</a>
      <ClosedNote />
    </>
  )
}

function Called({ request, agent, findings }: Client) {
  const { sequence, method, status, clock } = request
  return (
    <>
      <span>
        <Icon of={Plug} />{' '}
        <b>
          <bdi>{fitOnLine(agent, 80) || 'A client without a User-Agent'}</bdi>
        </b>{' '}
        called at {toTime(clock.rate_clock)}:
      </span>
      <a href={hrefWith({ panel: 'traffic', request: String(sequence) })}>
        <Status status={status} />{' '}
        <code>
          <BreakingPath path={`${method.slice(0, 12)} ${fitOnLine(targetOf(request), 120)}`} />
        </code>
      </a>
      <a href={hrefWith({ panel: 'traffic' })}>
        {findings === 0
          ? 'No findings in the review'
          : `${countGrouped(findings, 'finding')} in the review`}
      </a>
    </>
  )
}

export function ClosedNote() {
  const { default_world: standing } = useGet('/health').value ?? {}
  if (standing !== 'closed' || currentWorld.value !== DEFAULT_WORLD) return null
  return (
    <p>
      The default world is closed: its built-in tokens get a 401. Invite{' '}
      <a href={hrefWith({ panel: 'partners' })}>partners</a>.
    </p>
  )
}
