import { lowest } from '../contract/lists.ts'
import type { ApiResponse } from '../engine/messages.ts'
import type { Journal } from '../journal/journal.ts'
import type { LoggedEnd, RecordedRequest } from '../journal/recorded-request.ts'
import { isCut, isTimed, isTooLate } from './response-ends.ts'
import type { World } from './world.ts'

/** How responses end, in the log of a store. */

/** An end whose time is not known yet. */
export type UntimedEnd = Omit<LoggedEnd, 'ended_ms'>

/** Returns what passes on how a response ended to the log of a store, where that matters. */
export function passOnEnd(
  { sequence, atMs, head }: RecordedRequest,
  journal: Journal,
  log: (end: UntimedEnd) => void,
): NonNullable<ApiResponse['onEnd']> {
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

/** Notes how and when a response ended, as a log has it, unless its request is no longer kept, or the world was started again. */
export function applyEnd(world: World, end: LoggedEnd): void {
  const { sequence, arrived_ms: arrivedMs, ended_ms: endedMs, after, aborted = false } = end
  const { journal } = world
  const recorded = journal.recordedAt(sequence)
  if (recorded?.atMs !== arrivedMs || recorded.responseEnd || isTooLate(recorded, journal)) return
  world.endResponse(recorded, {
    // Its server may not have known of all that other servers had answered by then.
    after: Math.max(after, lastBefore(endedMs, journal)),
    // Whatever has moved the clock since the request may have come after the end.
    rateMs: endedMs + recorded.rateOffsetMs,
    ...(aborted && { isAborted: true }),
  })
}

/** The sequence of the last request that is kept and arrived before a time, by the machine's clock; 0 for none. */
function lastBefore(ms: number, { recorded }: Journal): number {
  const count = lowest(recorded.length, (index) => (recorded[index]?.atMs ?? Infinity) >= ms)
  return recorded[count - 1]?.sequence ?? 0
}
