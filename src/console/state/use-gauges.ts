import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { connection, revision } from './connection.ts'
import { latestSequence } from './journal.ts'
import { lifeOf } from './gauge.ts'
import type { GaugeReading } from './gauge.ts'

/** The rate windows; null until they were read. */
export const gauges = signal<GaugeReading | null>(null)

/** What time it is for the gauges, by the page's own clock. */
export const gaugeTime = signal(0)

const LOOK_MS = 400

/** Reads the rate windows while they are shown: after requests, and while one refills. */
export function useGauges(): void {
  const turn = revision.value
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
        // The frame says that the server does not respond, and this reads again when it does.
        if (!controller.signal.aborted && !(error instanceof ApiError)) throw error
      } finally {
        isReading = false
      }
    }
    const look = (): void => {
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
    const timer = setInterval(look, LOOK_MS)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [turn])
}
