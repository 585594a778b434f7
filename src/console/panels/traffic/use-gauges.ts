import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { connection, revision } from '../../state/connection.ts'
import { journal } from '../../state/journal.ts'
import { needsReading } from './gauge.ts'
import type { GaugeReading } from './gauge.ts'

/** The rate windows; null until they were read. */
export const gauges = signal<GaugeReading | null>(null)

/** What time it is for the gauges, by the page's own clock. */
export const gaugeTime = signal(0)

const LOOK_MS = 400
const REFILL_MS = 1000

/** Reads the rate windows while they are shown: after requests, and while one refills. */
export function useGauges(): void {
  const turn = revision.value
  useEffect(() => {
    let isReading = false
    let seen = -1
    const controller = new AbortController()
    const read = async (): Promise<void> => {
      isReading = true
      seen = journal.peek().requests
      try {
        const status = await api.get('/rate-limits', {}, controller.signal)
        gaugeTime.value = performance.now()
        gauges.value = { status, readAt: gaugeTime.value }
      } catch {
        // The frame says that the server does not respond, and this reads again when it does.
      } finally {
        isReading = false
      }
    }
    const look = (): void => {
      if (document.visibilityState === 'hidden') return
      const now = performance.now()
      const reading = gauges.peek()
      if (reading && needsReading(reading)) gaugeTime.value = now
      if (isReading || connection.peek() !== 'open') return
      const isRefilling = reading && needsReading(reading) && now - reading.readAt >= REFILL_MS
      if (seen !== journal.peek().requests || isRefilling) void read()
    }
    void read()
    const timer = setInterval(look, LOOK_MS)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [turn])
}
