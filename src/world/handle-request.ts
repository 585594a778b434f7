import type { TokenRecord } from '../contract/token.ts'
import type { Engine } from '../engine/engine.ts'
import { withGapsHeader } from '../engine/gap-finder.ts'
import { hasReadMethod } from '../engine/messages.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { Journal } from '../journal/journal.ts'
import { MAXIMUM_AWAITED } from '../journal/recorded-request.ts'
import type { RecordedRequest, ResponseEnd } from '../journal/recorded-request.ts'
import type { WorldParts } from './commands/command.ts'
import { applyFaults } from './faults/faults.ts'
import type { WorldState } from './world-state.ts'
import type { WorldSubscribers } from './world-subscriber.ts'

export interface EndOptions {
  /**
   * In a replay, the recorded end of the response: null if it comes in a later step; undefined if the response was sent at once,
   * or its end is unknown.
   */
  responseEnd?: ResponseEnd | null | undefined
  /** Returns a callback that logs the end of a response in a store; omitted without a store. */
  logEnd?: ((recorded: RecordedRequest, journal: Journal) => ApiResponse['onEnd']) | undefined
}

interface Handling extends EndOptions {
  subscribers: WorldSubscribers
  /** The pinned time of the machine's clock, in epoch milliseconds. */
  atMs: number
  /** Start of the request, in milliseconds on the clock that measures durations. */
  startedMs: number
}

/** Handles a request in this order: identifies it, applies the faults that are due, responds, records and notifies. */
export function handleRequest(
  parts: WorldParts,
  request: ApiRequest,
  { subscribers, atMs, startedMs, responseEnd: replayedEnd, logEnd }: Handling,
): ApiResponse {
  const { options, journal, state } = parts
  const { clock, engine, faults, gapFinder } = state
  const [worldMs, rateMs] = [clock.worldMs(), clock.rateMs()]
  const gaps = gapFinder?.find(request, (copy) =>
    answerRequest(request, { clock, engine: copy, faults: faults.copy() }),
  )
  const context = engine.identify(request)
  const plain = answerRequest(request, state, context)
  const response = gaps ? withGapsHeader(plain, gaps) : plain
  if (options.followsTimers && response.wire) response.followsTimers = true
  const durationMs = options.timer ? options.timer() - startedMs : null
  const { observesEnd } = request
  const isAwaited =
    observesEnd === 'all' || (observesEnd === 'delayed' && response.wire !== undefined)
  const responseEnd = isAwaited ? null : replayedEnd
  const recorded = journal.addRequest(
    { request, context, response, atMs, worldMs, rateMs, durationMs, responseEnd },
    subscribers.mustKeepRequests,
  )
  subscribers.notify('onRequest', recorded, options.errors)
  if (logEnd) response.onEnd = logEnd(recorded, journal)
  else if (isAwaited) response.onEnd = noteEnd(recorded, { parts, subscribers })
  return response
}

/**
 * Rejects a request whose token is missing, unknown or not admitted, as if the token were unknown, without recording or counting
 * the request. Returns undefined for any other request.
 */
export function turnAway(
  { state: { engine, gapFinder } }: WorldParts,
  request: ApiRequest,
  admits: (token: TokenRecord) => boolean,
): ApiResponse | undefined {
  const { token } = engine.identify(request)
  if (token && admits(token)) return undefined
  const answer = (each: Engine): ApiResponse =>
    each.answer(request, { ...each.identify(request), token: undefined })
  const gaps = gapFinder?.find(request, answer)
  const response = answer(engine)
  return gaps ? withGapsHeader(response, gaps) : response
}

function answerRequest(
  request: ApiRequest,
  { clock, engine, faults }: Pick<WorldState, 'clock' | 'engine' | 'faults'>,
  context = engine.identify(request),
): ApiResponse {
  if (faults.isEmpty) return engine.answer(request, context)
  const { route, token, policies: identifiedBy } = context
  const operation = route?.operation
  const due = faults.take({
    operation: hasReadMethod(request) ? operation : undefined,
    project: route?.project ?? undefined,
    token: token?.id,
  })
  return applyFaults(due, {
    operation,
    rateMs: clock.rateMs(),
    identifiedBy,
    answer: () => engine.answer(request, context),
    reject: (problem) => engine.reject(request, context, problem),
  })
}

type OnEnd = NonNullable<ApiResponse['onEnd']>

interface Ending {
  parts: WorldParts
  subscribers: WorldSubscribers
}

const FIRST_ERROR = 400

/**
 * True if the time at which a response ends matters: after an error or a missing response, clients wait from that time, and a
 * fault on the wire may delay it. Any other response counts as ended when its request arrived.
 */
export function isTimed({ status, wire }: Pick<ApiResponse, 'status' | 'wire'>): boolean {
  return status >= FIRST_ERROR || status === 0 || wire !== undefined
}

/** True for a response that a fault cuts off. A disconnect of the client then does not count as an abort. */
export function isCut({ wire }: Pick<ApiResponse, 'wire'>): boolean {
  return wire?.end !== undefined
}

/** True if a review no longer waits for the end of a response, because too many later requests and commands were recorded. */
export function isTooLate({ sequence }: RecordedRequest, journal: Journal): boolean {
  return journal.sequence - sequence > MAXIMUM_AWAITED
}

/** Returns a callback that records the end of a response at its first call, unless the world was restarted meanwhile. */
function noteEnd(recorded: RecordedRequest, { parts, subscribers }: Ending): OnEnd {
  const { journal } = parts
  const { starts } = journal
  const isEndTimed = isTimed(recorded.head)
  const cut = isCut(recorded.head)
  return (how) => {
    if (recorded.responseEnd !== null || journal.starts !== starts) return
    const isAborted = how === 'aborted' && !cut && !isTooLate(recorded, journal)
    recorded.responseEnd =
      isEndTimed || isAborted
        ? {
            after: journal.sequence,
            rateMs: parts.state.clock.rateMs(),
            ...(isAborted && { isAborted }),
          }
        : undefined
    subscribers.notify('onResponseEnd', recorded, parts.options.errors)
  }
}
