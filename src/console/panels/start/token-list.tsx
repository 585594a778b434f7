import type { JSX } from 'preact'
import { api } from '../../api/client.ts'
import type { TokenGauges } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState, ErrorState } from '../../parts/empty-state.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { useResource } from '../../state/resource.ts'
import { listTokens } from '../../state/tokens.ts'
import type { Token } from '../../state/tokens.ts'

/** The bearer values of the world, and what each is for. */
export function TokenList(): JSX.Element {
  const { value, error } = useResource(async (signal) => {
    const [tokens, limits, agencies] = await Promise.all([
      listTokens(signal),
      api.get('/rate-limits', {}, signal),
      api.list('agencies', { limit: 200 }, signal),
    ])
    return { tokens, gauges: limits.tokens, agencies: agencies.records }
  }, [])
  const gaugesOf = ({ id }: Token): TokenGauges | undefined =>
    value?.gauges.find(({ token_id }) => token_id === id)
  return (
    <Card title="Tokens" class="tokens">
      {error !== undefined && <ErrorState message={error} />}
      {!value && error === undefined && <Skeleton />}
      {value?.tokens.length === 0 && <NoTokens />}
      <ul>
        {value?.tokens.map((token) => (
          <li key={token.id}>
            <div class="value">
              <code>
                <bdi>{token.token.slice(0, 200)}</bdi>
              </code>
              <Standing token={token} gauges={gaugesOf(token)} />
              <CopyButton text={token.token} what={`the token ${token.name.slice(0, 80)}`} />
            </div>
            <p class="soft">
              {scopeOf(token, value.agencies)}
              {limitsOf(gaugesOf(token))}.
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function scopeOf({ agency }: Token, agencies: readonly { id: number; name: string }[]): string {
  if (agency === null) return 'Every agency’s projects, and the filter agency_id'
  const name = agencies.find(({ id }) => id === agency)?.name ?? `agency ${agency}`
  return `The projects of ${name.slice(0, 80)}`
}

function limitsOf(gauges: TokenGauges | undefined): string {
  const { minute = null, hour = null } = gauges ?? {}
  if (!minute && !hour) return '; no rate limit, so good for test suites'
  const limits = [
    ...(minute ? [`${minute.limit.toLocaleString('en')} requests a minute`] : []),
    ...(hour ? [`${hour.limit.toLocaleString('en')} an hour`] : []),
  ]
  return `; ${limits.join(' and ')}`
}

/** Whether it is answered now, and why not. */
function Standing({
  token: { status, allowed_ips },
  gauges,
}: {
  token: Token
  gauges: TokenGauges | undefined
}): JSX.Element {
  if (status === 'disabled') {
    return <StateWord state="failed">disabled: only /me answers, section 5(4)</StateWord>
  }
  if (allowed_ips) {
    return (
      <StateWord state="pending">
        only from {allowed_ips.slice(0, 4).join(', ').slice(0, 200)}
      </StateWord>
    )
  }
  for (const [name, gauge] of [
    ['minute', gauges?.minute],
    ['hour', gauges?.hour],
  ] as const) {
    if (gauge?.resets_at != null) {
      return (
        <StateWord state="failed">
          {name} used up: 429 until {gauge.resets_at.slice(11, 19)}
        </StateWord>
      )
    }
  }
  return <StateWord state="completed">works</StateWord>
}

function NoTokens(): JSX.Element {
  const add = (): Promise<unknown> =>
    api.command(
      {
        type: 'record.put',
        collection: 'tokens',
        record: { id: 1, name: 'Sandbox super-admin', token: 'sandbox-super', agency: null },
      },
      'Added a super-admin token',
      [{ type: 'record.delete', collection: 'tokens', id: 1 }],
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
