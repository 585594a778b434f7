import { z } from 'zod'
import type { WireFault } from '../../contract/wire-fault.ts'
import type { ApiResponse } from '../../engine/messages.ts'
import { defineFaultKind } from './fault-kind.ts'
import type { AffectedRequest } from './fault-kind.ts'

export const reset = defineFaultKind({
  kind: 'reset',
  description: 'The connection is reset in place of a response',
  fields: {},
  hasBody: false,
  replaces: (_, request) => noResponse(request, { end: 'reset' }),
})

export const noAnswer = defineFaultKind({
  kind: 'no-answer',
  description: 'The connection stays open, and nothing is sent',
  fields: {},
  hasBody: false,
  replaces: (_, request) => noResponse(request, { end: 'silence' }),
})

const MAXIMUM_WAIT_MS = 600_000

const WaitMs = z.int().min(0).max(MAXIMUM_WAIT_MS)

/** Several delays of a response add up. */
export const latency = defineFaultKind({
  kind: 'latency',
  description: 'The response is delayed: by `ms`, or by a random time from `min_ms` to `max_ms`',
  fields: {
    ms: WaitMs.optional().describe('How long the response is delayed, in milliseconds'),
    min_ms: WaitMs.optional().describe('The shortest delay, where it is random; 0 where omitted'),
    max_ms: WaitMs.optional().describe(
      'The longest delay, where it is random: chosen from the seed of the world',
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
  alters: (response, fault, random) => {
    const { min_ms = 0, max_ms = 0, ms = random.integer(min_ms, max_ms) } = fault
    return withWire(response, { delayMs: (response.wire?.delayMs ?? 0) + ms })
  },
})

export const slowBody = defineFaultKind({
  kind: 'slow-body',
  description: 'The body is sent in pieces',
  fields: { ms: WaitMs.describe('How long the whole body takes, in milliseconds') },
  needsBody: true,
  alters: (response, { ms }) => withWire(response, { bodyMs: (response.wire?.bodyMs ?? 0) + ms }),
})

export const truncatedBody = defineFaultKind({
  kind: 'truncated-body',
  description: 'The connection is closed half-way through the body',
  fields: {},
  needsBody: true,
  alters: (response) => withWire(response, { end: 'truncated' }),
})

export const malformedJson = defineFaultKind({
  kind: 'malformed-json',
  description: 'The body is sent in full, but its JSON is invalid',
  fields: {},
  needsBody: true,
  alters: (response) => ({ ...response, body: response.body.subarray(0, -1), shown: undefined }),
})

/** A response with these properties added to its wire fault. */
function withWire(response: ApiResponse, wire: WireFault): ApiResponse {
  return { ...response, wire: { ...response.wire, ...wire } }
}

/** Represents a response that never arrives. */
function noResponse({ reject }: AffectedRequest, wire: WireFault): ApiResponse {
  const { caller } = reject('gateway_timeout')
  return { status: 0, headers: {}, body: new Uint8Array(), caller, wire }
}
