import { transport } from '../../api/transport.ts'
import { CopyButton, CopyText, CopyAs } from '../../parts/copy-button.tsx'
import { ClosedNote } from '../overview/client-line.tsx'
import './connect.css'
import { useSending } from '../../parts/request-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { useGet, useResource } from '../../state/resource.ts'
import { partner } from '../../state/world-choice.ts'
import {
  isAccepted,
  isAcceptedFromStart,
  isUnrestricted,
  listTokens,
} from '../../state/client-requests.ts'
import type { Token } from '../../state/client-requests.ts'
import { api } from '../../api/client.ts'
import type { TokenGauges } from '../../api/types.ts'
import { EmptyState, Unread } from '../../parts/placeholders.tsx'
import { Readable } from '../../parts/readable.tsx'
import { requestCode } from '../../code/code-of.ts'
import { Secret, StateWord, withCode } from '../../parts/marked-text.tsx'
import { RateLeft, gauges, useGauges } from '../../parts/rate-left.tsx'

export function ConnectPanel() {
  return (
    <>
      <h1>Connect</h1>
      <BaseUrl />
      <ClosedNote />
      {partner.value && <HostLimit />}
      <div class="columns two">
        <FirstRequest />
        <TokenList />
      </div>
    </>
  )
}

function BaseUrl() {
  const { base, isShared } = transport()
  const [text, name] = isShared
    ? [`${base}/api/v1`, 'the base URL']
    : ['npx seo-sandbox --demo', 'the command']
  return (
    <>
      <p class="sub">
        {isShared
          ? 'Point your client at the base URL, and give it a token.'
          : 'This demo runs in your browser alone. For one that your programs can call, run'}
      </p>
      <p class="row base-url">
        {isShared && <small class="soft">Base URL</small>}
        <CopyText text={text} name={name} />
        <CopyButton text={text} name={name} />
      </p>
    </>
  )
}

function HostLimit() {
  const { requests } = useGet('/limits').value ?? {}
  return (
    requests && (
      <p class="soft">
        This host accepts up to {requests} requests a second for your world. Beyond that it answers
        429 with <code>X-Sandbox-Limited</code>, which Traffic does not show. This page’s own
        requests count too.
      </p>
    )
  )
}

const FIRST = { path: '/api/v1/projects', headers: { Accept: 'application/json' } }

function FirstRequest() {
  const { base, isShared } = transport()
  const { value: tokens = [] } = useResource(listTokens, [])
  const usual = tokens.find(isUnrestricted) ?? tokens[0]
  const { request, controls, response } = useSending(tokens, usual, FIRST, 'Requested the projects')
  return (
    <Section title="A first request">
      {isShared ? (
        <CopyAs request={request} origin={base} />
      ) : (
        <>
          <p class="soft">The console of this browser can send it too:</p>
          <Readable
            body={requestCode('typescript', request, base)}
            name="the request as TypeScript"
          />
        </>
      )}
      {controls}
      {response ?? (
        <p class="soft">
          The response appears here with its headers, and what the specification leaves open about
          it.
        </p>
      )}
    </Section>
  )
}

function TokenList() {
  const list = useResource(async (signal) => {
    const [tokens, { records }] = await Promise.all([
      listTokens(signal),
      api.list('agencies', { limit: 200 }, signal),
    ])
    return { tokens, agencies: records }
  }, [])
  const { value } = list
  useGauges()
  const { tokens = [], agencies = [] } = value ?? {}
  const refused = tokens.filter((token) => !isAcceptedFromStart(token))
  return (
    <Section title="Tokens" class="tokens">
      <Unread of={list} />
      {value?.tokens.length === 0 && <NoTokens />}
      <Tokens tokens={tokens.filter(isAcceptedFromStart)} agencies={agencies} />
      {refused.length > 0 && <h3>Refused on purpose, always or at first</h3>}
      <Tokens tokens={refused} agencies={agencies} />
    </Section>
  )
}

interface TokensProps {
  tokens: readonly Token[]
  agencies: readonly { id: number; name: string }[]
}

function Tokens({ tokens, agencies }: TokensProps) {
  const reading = gauges.value
  return (
    <ul class="lines">
      {tokens.map((token) => {
        const limits = reading?.status.tokens.find(({ token_id }) => token_id === token.id)
        return (
          <li key={token.id}>
            <div class="row">
              <Secret text={token.token} />
              <CopyButton text={token.token} name={`the token ${token.name.slice(0, 80)}`} />
              <TokenRefusal token={token} />
            </div>
            {isAccepted(token) && (
              <>
                <p class="soft">
                  {withCode(scopeOf(token, agencies))}
                  {limits && limitsOf(limits)}.
                </p>
                {reading && (limits?.minute ?? limits?.hour) && (
                  <RateLeft token={limits} reading={reading} />
                )}
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function scopeOf({ agency }: Token, agencies: TokensProps['agencies']): string {
  if (agency === null) return 'Every agency’s projects, and the filter `agency_id`'
  const name = agencies.find(({ id }) => id === agency)?.name ?? `agency ${agency}`
  return `The projects of ${name.slice(0, 80)}`
}

function limitsOf({ minute, hour }: TokenGauges): string {
  if (!minute && !hour) return '; no rate limit, so good for test suites'
  const limits = [
    ...(minute ? [`${minute.limit.toLocaleString('en')} requests a minute`] : []),
    ...(hour ? [`${hour.limit.toLocaleString('en')} an hour`] : []),
  ]
  return `; ${limits.join(' and ')}`
}

function TokenRefusal({ token: { status, allowed_ips, spent } }: { token: Token }) {
  if (status === 'disabled') {
    return <StateWord state="failed">disabled: only /me answers, section 5(4)</StateWord>
  }
  if (!allowed_ips) {
    if (spent === undefined) return null
    return (
      <StateWord state="pending">
        refused in the first {spent} after a start or a reset, then accepted
      </StateWord>
    )
  }
  return (
    <StateWord state="failed">
      403, unless sent from {allowed_ips.slice(0, 4).join(', ').slice(0, 200)}
    </StateWord>
  )
}

function NoTokens() {
  const add = (): Promise<unknown> =>
    api.command(
      {
        type: 'record.put',
        collection: 'tokens',
        record: { id: 1, name: 'Sandbox super-admin', token: 'sandbox-super', agency: null },
      },
      'Added a super-admin token',
    )
  return (
    <EmptyState
      title="This world has no tokens"
      action={<Button onPress={add}>Add a super-admin token</Button>}
    >
      So the API refuses every request.
    </EmptyState>
  )
}
