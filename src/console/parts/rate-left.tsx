import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { countGrouped } from '../../wording/count.ts'
import { ApiError } from '../api/api-error.ts'
import { api, HOST_LIMIT_HEADER } from '../api/client.ts'
import { connection, revision } from '../api/transport.ts'
import type { TokenGauges } from '../api/types.ts'
import { record } from '../state/current-world.ts'
import { latestSequence } from '../state/shown-journal.ts'
import { showNotice } from '../state/notices.ts'
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
 * A token's remaining requests with a button that uses them up, or the time until the token works again with a button that skips
 * the wait. The two buttons are at opposite ends of the line, so that a second click does not press the other.
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
    <div class="row rate-left small">
      {waitMs > 0 ? (
        <>
          <Button
            variant="quiet"
            label={`Skip the wait, until ${name} works again`}
            title="Advances both clocks to when it works again"
            onPress={() => skip(waitMs, name)}
          >
            Skip the wait
          </Button>
          <StateWord state="failed">works again in {untilWords(waitMs)}</StateWord>
        </>
      ) : (
        <>
          <span class="soft">
            {countGrouped(left, 'request')} left this {inMinute <= inHour ? 'minute' : 'hour'}
          </span>
          <Button
            variant="quiet"
            label={`Use up its limit, ${name}`}
            title="Sends requests until the API refuses one with a 429"
            disabled={left > MAXIMUM_REQUESTS}
            onPress={() => drain(token, left)}
          >
            Use up its limit
          </Button>
        </>
      )}
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

/** Formats a duration, rounded up: `42 s` below two minutes, otherwise `59 min`. */
export function untilWords(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS)
  return seconds < 2 * MINUTE_S ? `${seconds} s` : `${Math.ceil(seconds / MINUTE_S)} min`
}

/** A larger limit would take more than a minute to use up. */
const MAXIMUM_REQUESTS = 2000

/** The rest of the page needs some of the browser's few connections. */
const MAXIMUM_PARALLEL = 4

/**
 * Sends requests with a token until a response has a status other than 200, usually a 429. Beyond the `left` requests, one at a
 * time, so that a single request is refused.
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
    // The generated test starts with unused rate windows, so it needs one request more than the whole limit.
    times: Math.min(minute?.limit ?? Infinity, hour?.limit ?? Infinity) + 1,
    sentence: `Sent requests with ${name} until it got a ${status}`,
    clocks: before,
  })
  if (status === 429) return
  showNotice(`${name} gets ${status}, so that its requests are not counted.`, { isError: true })
}

/** Null until the rate windows have been read. */
export const gauges = signal<GaugeReading | null>(null)

/** Time for which the gauges are shown, on the scale of `performance.now()`. */
export const gaugeTime = signal(0)

const POLL_MS = 400

/** Reads the rate windows while the component is mounted: after requests, and while a window refills. */
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
        // The frame reports an unresponsive server. The windows are read again once the server responds.
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
