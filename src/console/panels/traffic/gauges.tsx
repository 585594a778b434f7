import type { TokenGauges } from '../../api/types.ts'
import { RateLeft, gauges, gaugeTime, useGauges, untilWords } from '../../parts/rate-left.tsx'
import type { RateLeftProps } from '../../parts/rate-left.tsx'
import { StateWord } from '../../parts/marked-text.tsx'
import { shortenSecret } from '../../parts/value-words.ts'
import { isAccepted, listTokens } from '../../state/client-requests.ts'
import { useResource } from '../../state/resource.ts'
import { gaugeAt } from '../../state/shown-clocks.ts'
import { journal } from '../../state/shown-journal.ts'

/** The limited rate windows of the last used token, as they drain and refill. */
export function LastGauges() {
  useGauges()
  const reading = gauges.value
  const last = journal.value.entries.findLast(
    (entry) => entry.kind === 'request' && entry.token_id !== null,
  )
  const token =
    last?.kind === 'request' &&
    reading?.status.tokens.find(({ token_id }) => token_id === last.token_id)
  if (!reading || !token) return null
  return <Meters token={token} reading={reading} isNamed />
}

/**
 * The rate windows of limited tokens, used tokens first, below the names of unlimited tokens. Shows at most `SHOWN_TOKENS` of
 * each.
 */
export function AllGauges() {
  const reading = gauges.value
  const { value: records = [] } = useResource(listTokens, [])
  const accepted = records.filter(isAccepted).map(({ id }) => id)
  if (!reading) return null
  const { tokens } = reading.status
  const limited = tokens.filter(({ minute, hour }) => minute ?? hour)
  const unlimited = tokens.filter((token) => !limited.includes(token)).slice(0, SHOWN_TOKENS)
  return (
    <ul class="lines">
      {unlimited.length > 0 && (
        <li class="soft">
          No limit: {unlimited.map(({ token }) => shortenSecret(token)).join(', ')}
        </li>
      )}
      {limited
        .toSorted((a, b) => Number(isUsed(b)) - Number(isUsed(a)))
        .slice(0, SHOWN_TOKENS)
        .map((token) => (
          <li key={token.token_id}>
            <h3>
              <bdi>{shortenSecret(token.token)}</bdi>
            </h3>
            <div class="meters">
              <Meters token={token} reading={reading} />
            </div>
            {accepted.includes(token.token_id) ? (
              <RateLeft token={token} reading={reading} />
            ) : (
              accepted.length > 0 && <StateWord state="failed">refused, see Connect</StateWord>
            )}
          </li>
        ))}
      {limited.length > SHOWN_TOKENS && (
        <li class="soft">
          The first {SHOWN_TOKENS} of {limited.length} tokens are shown.
        </li>
      )}
    </ul>
  )
}

/** A world may have thousands of tokens. */
const SHOWN_TOKENS = 50

function isUsed({ minute, hour }: TokenGauges): boolean {
  return [minute, hour].some((gauge) => gauge !== null && gauge.remaining < gauge.limit)
}

/**
 * A meter for each limited window of a token. With `isNamed`, the meter also shows the name of the token or, if the window is
 * used up, the remaining wait.
 */
function Meters({ token, reading, isNamed = false }: RateLeftProps & { isNamed?: boolean }) {
  return (['minute', 'hour'] as const).map((window) => {
    const gauge = token[window] && gaugeAt(token[window], reading, gaugeTime.value)
    if (!gauge) return null
    const { limit, remaining, waitMs } = gauge
    const wait = waitMs === null ? '' : `, works again in ${untilWords(waitMs)}`
    return (
      <div key={window} class="gauge">
        <p>
          <b>{remaining.toLocaleString('en')}</b> of {limit.toLocaleString('en')} left
        </p>
        <small class="soft">
          {isNamed && wait === '' && (
            <>
              <bdi>{shortenSecret(token.token)}</bdi>,{' '}
            </>
          )}
          {isNamed ? window + wait : `this ${window}`}
        </small>
        <span
          class="meter"
          role="meter"
          aria-label={`Requests of ${token.token.slice(0, 60)} left this ${window}`}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={remaining}
          aria-valuetext={`${remaining} of ${limit} left`}
        >
          <span style={{ width: `${(remaining / limit) * 100}%` }} />
        </span>
      </div>
    )
  })
}
