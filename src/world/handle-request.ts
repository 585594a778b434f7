import type { TokenRecord } from '../contract/token.ts'
import type { Engine } from '../engine/engine.ts'
import { withGapsHeader } from '../engine/gaps-header.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { MAXIMUM_AWAITED } from '../journal/recorded-request.ts'
import type { RecordedRequest, ResponseEnd } from '../journal/recorded-request.ts'
import { notify } from '../journal/subscribers.ts'
import type { WorldParts } from './commands/command.ts'
import { applyFaults } from './faults/apply-faults.ts'
import type { WorldState } from './world-state.ts'
import type { WorldSubscribers } from './world-subscriber.ts'

const FIRST_ERROR = 400

interface Handling {
  subscribers: WorldSubscribers
  /** The pinned time of the machine's clock. */
  atMs: number
  /** By the clock of durations. */
  startedMs: number
  /** In a replay, when the response was sent. */
  responseEnd: ResponseEnd | null | undefined
}

/** Handles a request: identify, apply the faults that are due, respond, record, notify. */
export function handleRequest(
  parts: WorldParts,
  request: ApiRequest,
  { subscribers, atMs, startedMs, responseEnd: replayedEnd }: Handling,
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
  const durationMs = options.timer ? options.timer() - startedMs : null
  const { observesEnd } = request
  const isAwaited =
    observesEnd === 'all' || (observesEnd === 'delayed' && response.wire !== undefined)
  const responseEnd = isAwaited ? null : replayedEnd
  const recorded = journal.addRequest(
    { request, context, response, atMs, worldMs, rateMs, durationMs, responseEnd },
    subscribers.mustKeepRequests,
  )
  notify(subscribers.onRequest, recorded)
  if (isAwaited) response.onEnd = noteResponseEnd(recorded, response, { parts, subscribers })
  return response
}

/**
 * The response to a request whose token is unknown, or for which `admits` returns false: the response to an unknown token,
 * without recording or counting the request. Undefined for other requests.
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

/** The API's response to a request, with the faults that are due. `context` is what its engine has identified. */
function answerRequest(
  request: ApiRequest,
  { clock, engine, faults }: Pick<WorldState, 'clock' | 'engine' | 'faults'>,
  context = engine.identify(request),
): ApiResponse {
  if (faults.isEmpty) return engine.answer(request, context)
  const { route, token, policies: identifiedBy } = context
  const operation = route?.operation
  const due = faults.take({ operation, project: route?.project ?? undefined, token: token?.id })
  return applyFaults(due, {
    operation,
    rateMs: clock.rateMs(),
    identifiedBy,
    answer: () => engine.answer(request, context),
    reject: (problem) => engine.reject(request, context, problem),
  })
}

/**
 * Whether it matters when the last byte of a response is sent: a client waits from then on after an error, and a fault may
 * delay it. For any other response that is sent, the arrival of the request counts as its end.
 */
function isTimed({ status, wire }: ApiResponse): boolean {
  return status >= FIRST_ERROR || status === 0 || wire !== undefined
}

/** Notes how and when a response ended, unless the world was started again meanwhile. */
function noteResponseEnd(
  recorded: RecordedRequest,
  response: ApiResponse,
  { parts, subscribers }: { parts: WorldParts; subscribers: WorldSubscribers },
): NonNullable<ApiResponse['onEnd']> {
  const { sequence } = recorded
  const { journal } = parts
  const { starts } = journal
  const isEndTimed = isTimed(response)
  // Whether the client stayed until then says nothing about it.
  const isCut = response.wire?.end !== undefined
  return (how) => {
    if (recorded.responseEnd !== null || journal.starts !== starts) return
    const isAborted = how === 'aborted' && !isCut && journal.sequence - sequence <= MAXIMUM_AWAITED
    recorded.responseEnd =
      isEndTimed || isAborted
        ? {
            after: journal.sequence,
            rateMs: parts.state.clock.rateMs(),
            ...(isAborted && { isAborted }),
          }
        : undefined
    notify(subscribers.onResponseEnd, recorded)
  }
}
