import { api } from '../api/client.ts'
import type { TokenGauges } from '../api/types.ts'
import { record } from '../state/acts.ts'
import { clocks } from '../state/clock.ts'
import { gaugeAt } from '../state/gauge.ts'
import type { GaugeReading } from '../state/gauge.ts'
import { notify } from '../state/notices.ts'
import { gaugeTime } from '../state/use-gauges.ts'
import { Button } from './button.tsx'
import { StateWord } from './state-word.tsx'
import { count, shortenSecret } from './texts.ts'

export interface RateLeftProps {
  /** A token with a limit. */
  token: TokenGauges
  reading: GaugeReading
}

/**
 * How many requests a token has left, with a button that sends them; or when it works again, with one that goes there.
 * Each is at its own end of the line, so that neither appears under a pointer that is about to press the other.
 */
export function RateLeft({ token, reading }: RateLeftProps) {
  const now = gaugeTime.value
  const minute = token.minute && gaugeAt(token.minute, reading, now)
  const hour = token.hour && gaugeAt(token.hour, reading, now)
  const waitMs = Math.max(minute?.waitMs ?? 0, hour?.waitMs ?? 0)
  const [inMinute, inHour] = [minute?.remaining ?? Infinity, hour?.remaining ?? Infinity]
  const left = Math.min(inMinute, inHour)
  const name = shortenSecret(token.token)
  return (
    <div class="rate-left small">
      {waitMs > 0 ? (
        <>
          <Button
            variant="quiet"
            label={`Go to then, when ${name} works again`}
            title="Advances both clocks to when it works again"
            onPress={() => skip(waitMs, name)}
          >
            Go to then
          </Button>
          <StateWord state="failed">works again in {toWait(waitMs)}</StateWord>
        </>
      ) : (
        <>
          <span class="soft">
            {count(left, 'request')} left this {inMinute <= inHour ? 'minute' : 'hour'}
          </span>
          <Button
            variant="quiet"
            label={`Use it up, ${name}`}
            title="Sends requests until the API refuses one with a 429"
            disabled={left > MOST_REQUESTS}
            onPress={() => drain(token)}
          >
            Use it up
          </Button>
        </>
      )}
    </div>
  )
}

async function skip(waitMs: number, name: string): Promise<void> {
  const by = `PT${Math.ceil(waitMs / SECOND_MS)}S`
  const sentence = `Advanced both clocks by ${toWait(waitMs)}, until ${name} works again`
  await api.command({ type: 'clock.advance', by }, sentence)
}

const SECOND_MS = 1000
const MINUTE_S = 60

/** `42 s`, or `59 min`. */
function toWait(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS)
  return seconds < 2 * MINUTE_S ? `${seconds} s` : `${Math.ceil(seconds / MINUTE_S)} min`
}

/** Above that it would take a minute and more. */
const MOST_REQUESTS = 2000

/** How many are sent at a time: a browser has only a few connections to a server, and others need some too. */
const AT_A_TIME = 4

/** Sends requests with a token until the API refuses one with a 429. */
async function drain({ token_id, token: name, minute, hour }: TokenGauges): Promise<void> {
  const before = clocks.peek()
  const { token } = await api.get(`/records/tokens/${token_id}`)
  const request = { path: '/api/v1/me', token }
  let sent = 0
  let status = 200
  const send = async (): Promise<void> => {
    while (status === 200 && sent < MOST_REQUESTS) {
      sent += 1
      const response = await api.requestUnrecorded(request)
      if (response.status !== 200) ({ status } = response)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, send))
  record({
    kind: 'request',
    request,
    status,
    // A test begins with nothing used.
    times: Math.min(minute?.limit ?? Infinity, hour?.limit ?? Infinity) + 1,
    sentence: `Sent requests with ${name} until it got a ${status}`,
    clocks: before,
  })
  if (status === 429) return
  notify(`${name} gets ${status}, so that its requests are not counted.`, { isError: true })
}
