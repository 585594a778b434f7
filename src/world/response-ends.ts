import type { ApiResponse } from '../engine/messages.ts'
import type { Journal } from '../journal/journal.ts'
import { MAXIMUM_AWAITED } from '../journal/recorded-request.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { WorldParts } from './commands/command.ts'
import type { WorldSubscribers } from './world-subscriber.ts'

type OnEnd = NonNullable<ApiResponse['onEnd']>

interface Ending {
  parts: WorldParts
  subscribers: WorldSubscribers
}

const FIRST_ERROR = 400

/**
 * Whether it matters when the last byte of a response is sent: after an error a client waits from then on, and a fault may
 * delay it. Any other response that is sent counts as having ended when its request arrived.
 */
export function isTimed({ status, wire }: Pick<ApiResponse, 'status' | 'wire'>): boolean {
  return status >= FIRST_ERROR || status === 0 || wire !== undefined
}

/** Whether a fault has cut it off, so that it does not matter whether the client stayed until its end. */
export function isCut({ wire }: Pick<ApiResponse, 'wire'>): boolean {
  return wire?.end !== undefined
}

/** Whether a review no longer waits for the end of a response. */
export function isTooLate({ sequence }: RecordedRequest, journal: Journal): boolean {
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
    subscribers.notify('onResponseEnd', recorded, parts.options.errors)
  }
}
