import type { ApiResponse } from '../engine/messages.ts'
import type { Journal } from '../journal/journal.ts'
import { MAXIMUM_AWAITED } from '../journal/recorded-request.ts'
import type { LoggedEnd, RecordedRequest } from '../journal/recorded-request.ts'
import { notify } from '../journal/subscribers.ts'
import type { WorldParts } from './commands/command.ts'
import type { WorldSubscribers } from './world-subscriber.ts'

type OnEnd = NonNullable<ApiResponse['onEnd']>

/** An end whose time is not known yet. */
export type UntimedEnd = Omit<LoggedEnd, 'ended_ms'>

interface Ending {
  parts: WorldParts
  subscribers: WorldSubscribers
}

const FIRST_ERROR = 400

/**
 * Whether it matters when the last byte of a response is sent: after an error a client waits from then on, and a fault may
 * delay it. The arrival of the request stands for the end of any other response that is sent.
 */
function isTimed({ status, wire }: Pick<ApiResponse, 'status' | 'wire'>): boolean {
  return status >= FIRST_ERROR || status === 0 || wire !== undefined
}

/** Whether a fault has cut it off: whether the client stayed until then says nothing about it. */
function isCut({ wire }: Pick<ApiResponse, 'wire'>): boolean {
  return wire?.end !== undefined
}

/** Whether a review no longer waits for the end of a response. */
function isTooLate({ sequence }: RecordedRequest, journal: Journal): boolean {
  return journal.sequence - sequence > MAXIMUM_AWAITED
}

/** Returns what notes how and when a response ended, unless the world was started again meanwhile. */
export function noteEnd(recorded: RecordedRequest, { parts, subscribers }: Ending): OnEnd {
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
    notify(subscribers.onResponseEnd, recorded)
  }
}

/** Returns what passes on how a response ended to the log of a store, where that matters. */
export function passOnEnd(
  { sequence, atMs, head }: RecordedRequest,
  { journal, log }: { journal: Journal; log: (end: UntimedEnd) => void },
): OnEnd {
  const { starts } = journal
  const isEndTimed = isTimed(head)
  const cut = isCut(head)
  return (how) => {
    const isAborted = how === 'aborted' && !cut
    if (journal.starts !== starts || !(isEndTimed || isAborted)) return
    const after = journal.sequence
    log({ sequence, arrived_ms: atMs, after, ...(isAborted && { aborted: true }) })
  }
}

/** Notes how and when a response ended, as a log has it; not where its request is no longer kept, or the world was started again. */
export function applyEnd(end: LoggedEnd, { parts: { journal }, subscribers }: Ending): void {
  const { sequence, arrived_ms: arrivedMs, ended_ms: endedMs, after, aborted = false } = end
  const recorded = journal.recordedAt(sequence)
  if (recorded?.atMs !== arrivedMs || recorded.responseEnd || isTooLate(recorded, journal)) return
  recorded.responseEnd = {
    // Its server may not have known of all that other servers had answered by then.
    after: Math.max(after, journal.lastBefore(endedMs)),
    // Whatever has moved the clock since the request may have come after the end.
    rateMs: endedMs + recorded.rateOffsetMs,
    ...(aborted && { isAborted: true }),
  }
  notify(subscribers.onResponseEnd, recorded)
}
