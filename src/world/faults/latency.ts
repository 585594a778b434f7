import { z } from 'zod'
import { defineFaultKind, withWire } from './fault-kind.ts'

const MAXIMUM_WAIT_MS = 600_000

export const WaitMs = z.int().min(0).max(MAXIMUM_WAIT_MS)

/** Delays a response; several delays add up. */
export const latency = defineFaultKind({
  kind: 'latency',
  description: 'The response is delayed: by `ms`, or by a random time from `min_ms` to `max_ms`',
  fields: {
    ms: WaitMs.optional().describe('Delay of the response, in milliseconds'),
    min_ms: WaitMs.optional().describe('Minimum of a random delay, in milliseconds; 0 if omitted'),
    max_ms: WaitMs.optional().describe(
      'Maximum of a random delay, in milliseconds; the delay is drawn from the seed of the world',
    ),
  },
  check: ({ ms, min_ms, max_ms }, context) => {
    const isFixed = ms !== undefined && min_ms === undefined && max_ms === undefined
    const isRandom = ms === undefined && max_ms !== undefined && (min_ms ?? 0) <= max_ms
    if (isFixed || isRandom) return
    const message =
      'A latency is ms, or chosen at random from min_ms to max_ms. Write one of the two.'
    context.addIssue({ code: 'custom', message })
  },
  needsBody: false,
  onlyDelays: true,
  alters: (response, fault, random) => {
    const { min_ms = 0, max_ms = 0, ms = random.integer(min_ms, max_ms) } = fault
    return withWire(response, { delayMs: (response.wire?.delayMs ?? 0) + ms })
  },
})
