import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { countGrouped } from '../../wording/count.ts'
import { ApiError } from '../api/api-error.ts'
import { api, HOST_LIMIT_HEADER } from '../api/client.ts'
import { connection, revision } from '../api/transport.ts'
import type { TokenGauges } from '../api/types.ts'
import { record } from '../state/current-world.ts'
import { latestSequence } from '../state/shown-journal.ts'
import { clocks, gaugeAt, lifeOf } from '../state/shown-clocks.ts'
import type { GaugeReading } from '../state/shown-clocks.ts'
import { Button } from './button.tsx'
import { StateWord } from './marked-text.tsx'
import { shortenSecret } from './value-words.ts'

export interface RateLeftProps {
  token: TokenGauges
  reading: GaugeReading
}

/**
 * Remaining requests of a token and a button that uses them up. If none are left, the remaining wait and a button that skips it.
 */
export function RateLeft({ token, reading }: RateLeftProps) {
  const now = gaugeTime.value
  const minute = token.minute && gaugeAt(token.minute, reading, now)
  const hour = token.hour && gaugeAt(token.hour, reading, now)
  const waitMs = Math.max(minute?.waitMs ?? 0, hour?.waitMs ?? 0)
  const isOut = waitMs > 0
  const [inMinute, inHour] = [minute?.remaining ?? Infinity, hour?.remaining ?? Infinity]
  const left = Math.min(inMinute, inHour)
  const name = shortenSecret(token.token)
  return (
    <div class="row rate-left small">
      {isOut ? (
        <StateWord state="failed">works again in {untilWords(waitMs)}</StateWord>
      ) : (
        <span class="soft">
          {countGrouped(left, 'request')} left this {inMinute <= inHour ? 'minute' : 'hour'}
        </span>
      )}
      <Button
        label={isOut ? `Skip the wait, until ${name} works again` : `Use up its limit, ${name}`}
        title={
          isOut ? 'Advances both clocks' : 'Sends requests until the API refuses one with a 429'
        }
        disabled={left > MAXIMUM_REQUESTS}
        onPress={() => (isOut ? skip(waitMs, name) : drain(token, left))}
      >
        {isOut ? 'Skip the wait' : 'Use up its limit'}
      </Button>
    </div>
  )
}

async function skip(waitMs: number, name: string): Promise<void> {
  const by = `PT${Math.ceil(waitMs / SECOND_MS)}S`
  const sentence = `Skipped the wait of ${untilWords(waitMs)} for ${name}`
  await api.command({ type: 'clock.advance', by }, sentence)
}

const SECOND_MS = 1000
const MINUTE_S = 60

/** Formats a duration in milliseconds, rounded up: `42 s` below two minutes, otherwise `59 min`. */
export function untilWords(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS)
  return seconds < 2 * MINUTE_S ? `${seconds} s` : `${Math.ceil(seconds / MINUTE_S)} min`
}

/** Using up more requests would take over a minute. */
const MAXIMUM_REQUESTS = 2000

/** Leaves some of the browser's few connections to the rest of the page. */
const MAXIMUM_PARALLEL = 4

/**
 * Sends up to `MAXIMUM_REQUESTS + 1` requests with a token, until the API refuses one, usually with a 429. The first `left`
 * requests run in parallel. Later requests run one at a time, so that only one is refused.
 */
async function drain(
  { token_id, token: name, minute, hour }: TokenGauges,
  left: number,
): Promise<void> {
  const before = clocks.peek()
  const { token } = await api.get(`/records/tokens/${token_id}`)
  const request = { path: '/api/v1/me', token }
  let sent = 0
  let status = 200
  const send = async (last: number): Promise<void> => {
    while (status === 200 && sent < last) {
      sent += 1
      const response = await api.requestUnrecorded(request)
      const isOfHost = response.headers.some(([header]) => header === HOST_LIMIT_HEADER)
      if (response.status !== 200 && !isOfHost) ({ status } = response)
    }
  }
  await Promise.all(Array.from({ length: MAXIMUM_PARALLEL }, () => send(left)))
  await send(MAXIMUM_REQUESTS + 1)
  record({
    kind: 'request',
    request,
    status,
    // The test starts with unused rate windows, so that one request more than the lower limit is refused.
    times: Math.min(minute?.limit ?? Infinity, hour?.limit ?? Infinity) + 1,
    sentence: `Sent requests with ${name} until it got a ${status}${status === 429 ? '' : ', which no limit counts'}`,
    clocks: before,
  })
}

/** Rate windows of all tokens; null until read. */
export const gauges = signal<GaugeReading | null>(null)

/** Time at which components evaluate `gauges`, on the scale of `performance.now()`. */
export const gaugeTime = signal(0)

const POLL_MS = 400

/** Keeps `gauges` up to date while the component is mounted: after commands and requests, and while a window refills. */
export function useGauges(): void {
  const world = revision.value
  useEffect(() => {
    let isReading = false
    let seen = -1
    const controller = new AbortController()
    const read = async (): Promise<void> => {
      isReading = true
      seen = latestSequence()
      try {
        const status = await api.get('/rate-limits', {}, controller.signal)
        gaugeTime.value = performance.now()
        gauges.value = { status, readAt: gaugeTime.value }
      } catch (error) {
        // The reads of the frame fail with the same error and report it. After a reconnection, the windows are read again.
        if (!controller.signal.aborted && !(error instanceof ApiError)) throw error
      } finally {
        isReading = false
      }
    }
    const poll = (): void => {
      if (document.visibilityState === 'hidden') return
      const now = performance.now()
      const reading = gauges.peek()
      const life = reading ? lifeOf(reading) : Infinity
      if (life < Infinity) gaugeTime.value = now
      if (isReading || connection.peek() !== 'open') return
      const isOld = reading !== null && now - reading.readAt >= life
      if (seen !== latestSequence() || isOld) void read()
    }
    void read()
    const timer = setInterval(poll, POLL_MS)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [world])
}
