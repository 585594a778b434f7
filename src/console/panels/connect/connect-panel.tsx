import { transport } from '../../api/transport.ts'
import { CopyButton, CopyText, CopyAs } from '../../parts/copy-button.tsx'
import { ClosedNote } from '../overview/client-card.tsx'
import './connect.css'
import { useState } from 'preact/hooks'
import { ResponseView, TokenSelect } from '../../parts/request-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useResource } from '../../state/resource.ts'
import { sendRequest, isUsable, listTokens } from '../../state/client-requests.ts'
import type { SentRequest, Token } from '../../state/client-requests.ts'
import { api } from '../../api/client.ts'
import type { TokenGauges } from '../../api/types.ts'
import { EmptyState, Unread } from '../../parts/placeholders.tsx'
import { Secret, StateWord } from '../../parts/marked-text.tsx'
import { RateLeft, gauges, useGauges } from '../../parts/rate-left.tsx'

/** What a developer begins with: where the API is, a request to send, and who may ask it. */
export function ConnectPanel() {
  const { base: address, isShared } = transport()
  const base = `${address}/api/v1`
  return (
    <>
      <h1>Connect</h1>
      <p class="sub">
        {isShared
          ? 'Point your client at the base URL, and give it a token.'
          : 'This sandbox is in the tab: code in the console of the browser reaches it at the base URL, and nothing outside does. For a client of yours, run npx seo-sandbox.'}
      </p>
      <p class="base-url card">
        <span>Base URL</span>
        <CopyText text={base} what="the base URL" />
        <CopyButton text={base} what="the base URL" />
      </p>
      <ClosedNote />
      <div class="two">
        <FirstRequest />
        <TokenList />
      </div>
    </>
  )
}

const FIRST = { path: '/api/v1/projects', headers: { Accept: 'application/json' } }

/** A request in four languages, which is also sent from here. */
function FirstRequest() {
  const { value: tokens = [] } = useResource(listTokens, [])
  const [chosen, choose] = useState<number | null>()
  const [sent, setSent] = useState<SentRequest>()
  const usual = tokens.find(isUsable) ?? tokens[0]
  const token = chosen === undefined ? usual : tokens.find(({ id }) => id === chosen)
  const request = { ...FIRST, ...(token && { token: token.token }) }
  return (
    <Card title="A first request">
      <div class="views">
        <CopyAs request={request} origin={transport().base} />
      </div>
      <div class="row">
        <Button
          variant="primary"
          onPress={async () => setSent(await sendRequest(request, 'Asked for the first projects'))}
        >
          Run
        </Button>
        <TokenSelect tokens={tokens} selected={token?.id ?? null} onSelect={choose} />
      </div>
      {sent ? (
        <ResponseView sent={sent} />
      ) : (
        <p class="note soft">
          Run it here, and see the response with its headers and what the specification leaves open
          about it.
        </p>
      )}
    </Card>
  )
}

/** The bearer values of the world, and what each is for: first those that work. */
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
  const refused = tokens.filter((token) => !isServedNow(token))
  return (
    <Card title="Tokens" class="tokens">
      <Unread of={list} />
      {value?.tokens.length === 0 && <NoTokens />}
      <Tokens tokens={tokens.filter(isServedNow)} agencies={agencies} />
      {refused.length > 0 && (
        <h3 class="note soft">Refused on purpose, to see what your client makes of it</h3>
      )}
      <Tokens tokens={refused} agencies={agencies} />
    </Card>
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
            <div class="value">
              <Secret text={token.token} />
              <Standing token={token} />
              <CopyButton text={token.token} what={`the token ${token.name.slice(0, 80)}`} />
            </div>
            <p class="soft">
              {scopeOf(token, agencies)}
              {limits && limitsOf(limits)}.
            </p>
            {reading && (limits?.minute ?? limits?.hour) && isServed(token) && (
              <RateLeft token={limits} reading={reading} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

function scopeOf({ agency }: Token, agencies: TokensProps['agencies']): string {
  if (agency === null) return 'Every agency’s projects, and the filter agency_id'
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

/** Returns true if the API answers this token's requests as long as it has some left. */
function isServed({ status, allowed_ips }: Token): boolean {
  return status === 'active' && allowed_ips === undefined
}

/** Returns true if that holds from the start of the world: the token begins with requests left. */
function isServedNow(token: Token): boolean {
  return isServed(token) && token.spent === undefined
}

/** Why it is not answered as others are; nothing where it is. */
function Standing({ token: { status, allowed_ips } }: { token: Token }) {
  if (status === 'disabled') {
    return <StateWord state="failed">disabled: only /me answers, section 5(4)</StateWord>
  }
  if (!allowed_ips) return null
  return (
    <StateWord state="pending">
      only from {allowed_ips.slice(0, 4).join(', ').slice(0, 200)}
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
      So nobody can ask the API anything: every request is refused.
    </EmptyState>
  )
}
