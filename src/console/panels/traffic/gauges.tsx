import { useState } from 'preact/hooks'
import type { TokenGauges } from '../../api/types.ts'
import { RateLeft, gauges, gaugeTime, useGauges } from '../../parts/rate-left.tsx'
import type { RateLeftProps } from '../../parts/rate-left.tsx'
import { shortenSecret } from '../../parts/value-words.ts'
import { gaugeAt } from '../../state/shown-clocks.ts'
import type { GaugeNow, GaugeReading } from '../../state/shown-clocks.ts'
import { journal } from '../../state/kept-journal.ts'

/** How many fit beside each other. */
const SHOWN_TOKENS = 3

/** Both rate windows of the tokens, as they drain and refill. */
export function Gauges() {
  useGauges()
  const [isWhole, setWhole] = useState(false)
  const reading = gauges.value
  const limited = reading?.status.tokens.filter(({ minute, hour }) => minute ?? hour) ?? []
  const shown = isWhole ? limited : pickFew(limited)
  const others = limited.length - shown.length
  const left = reading && leftOf(limited, reading)
  return (
    <details class="limits">
      <summary>{left ? `Rate limits · ${left}` : 'Rate limits'}</summary>
      <section class="gauges" aria-label="Rate limits">
        {reading && limited.length === 0 && <p class="soft">No token of this world is limited.</p>}
        {reading &&
          shown.map((token) => <TokenGauge key={token.token_id} token={token} reading={reading} />)}
        {(others > 0 || isWhole) && (
          <button type="button" class="button quiet" onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Fewer tokens' : `${others} more`}
          </button>
        )}
      </section>
    </details>
  )
}

/** What the token that was used last has left, in words; undefined where that has no limit. */
function leftOf(tokens: readonly TokenGauges[], reading: GaugeReading): string | undefined {
  const last = journal.value.entries.findLast(
    (entry) => entry.kind === 'request' && entry.token_id !== null,
  )
  const token = tokens.find(
    ({ token_id }) => last?.kind === 'request' && token_id === last.token_id,
  )
  if (!token) return undefined
  const left = (['minute', 'hour'] as const).flatMap((name) => {
    const gauge = token[name]
    return gauge ? [{ name, ...gaugeAt(gauge, reading, gaugeTime.value) }] : []
  })
  const [tightest] = left.toSorted((one, other) => one.remaining - other.remaining)
  if (!tightest) return undefined
  const [remaining, limit] = [tightest.remaining, tightest.limit].map((number) =>
    number.toLocaleString('en'),
  )
  return `${shortenSecret(token.token)} has ${remaining} of ${limit} left this ${tightest.name}`
}

/** Those that are used, and the first of the others; in their order. */
function pickFew(tokens: readonly TokenGauges[]): TokenGauges[] {
  const others = tokens.filter((token) => !isUsed(token))
  const picked = [...tokens.filter(isUsed), ...others].slice(0, SHOWN_TOKENS)
  return tokens.filter((token) => picked.includes(token))
}

function isUsed({ minute, hour }: TokenGauges): boolean {
  return [minute, hour].some((gauge) => gauge !== null && gauge.remaining < gauge.limit)
}

function TokenGauge({ token, reading }: RateLeftProps) {
  const now = gaugeTime.value
  const minute = token.minute && gaugeAt(token.minute, reading, now)
  const hour = token.hour && gaugeAt(token.hour, reading, now)
  return (
    <div class="gauge-card">
      <h2>
        <bdi>{shortenSecret(token.token)}</bdi>
      </h2>
      {minute && <Meter name="Minute" token={token.token} gauge={minute} />}
      {hour && <Meter name="Hour" token={token.token} gauge={hour} />}
      <RateLeft token={token} reading={reading} />
    </div>
  )
}

interface MeterProps {
  name: string
  token: string
  gauge: GaugeNow
}

function Meter({ name, token, gauge: { limit, remaining, waitMs } }: MeterProps) {
  return (
    <div class="gauge">
      <span class="small soft">{name}</span>
      <span
        class={`bar ${waitMs === null ? '' : 'empty-bar'}`}
        role="meter"
        aria-label={`${name} of ${token.slice(0, 60)}`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={remaining}
        aria-valuetext={`${remaining} of ${limit} left`}
      >
        <span style={{ width: `${(remaining / limit) * 100}%` }} />
      </span>
      <span class="small">
        {remaining.toLocaleString('en')}
        <span class="soft"> of {limit.toLocaleString('en')}</span>
      </span>
    </div>
  )
}
