import { decidingFault } from '../../wording/decision.ts'
import { REPLACING_COMMANDS } from '../api/undo.ts'
import type { FaultStatus, JournalEntry, JournalRequest } from '../api/types.ts'
import type { FaultInput } from '../../world/faults/fault.ts'
import type { RecordedAction } from './test-steps.ts'

/** A client's request that a fault answered. A test repeats it after the step that armed the fault. */
export interface FaultedRequest {
  /** Id of the step that armed the fault. */
  step: number
  request: JournalRequest
  /** Number of times that the test sends `request`. The last response has the status in the journal. */
  times: number
}

/**
 * Returns a client request for each recorded fault that answered the client since the world was last replaced: the request with
 * the sequence `opened` if the fault answered that request, otherwise the last one. Faults scheduled by share or by time are left
 * out, because no number of requests reproduces their answers.
 */
export function faultedRequests(
  actions: readonly RecordedAction[],
  entries: readonly JournalEntry[],
  opened: number,
): FaultedRequest[] {
  // Replacing the world restarts the ids of faults and the sequences of the journal, so earlier steps cannot be matched.
  const begun = actions.findLastIndex(
    (action) => action.kind === 'command' && REPLACING_COMMANDS.includes(action.command.type),
  )
  return actions.slice(begun + 1).flatMap((action) => {
    if (action.kind !== 'command' || action.command.type !== 'fault.add') return []
    const { id } = action.result as FaultStatus
    const answered = entries.filter(
      (entry): entry is { kind: 'request' } & JournalRequest =>
        entry.kind === 'request' &&
        !entry.from_console &&
        entry.status > 0 &&
        decidingFault(entry) === id,
    )
    const request = answered.find(({ sequence }) => sequence === opened) ?? answered.at(-1)
    const times = timesOf(action.command.fault.schedule, answered.length)
    return request && times !== undefined ? [{ step: action.id, request, times }] : []
  })
}

/**
 * Returns the number of requests after which a fault has answered `answers` times; 1 for a fault without a schedule, which answers
 * every request; undefined if no number ensures the answers.
 */
function timesOf(schedule: FaultInput['schedule'], answers: number): number | undefined {
  if (schedule === undefined) return 1
  const { first, every, nth } = schedule
  if (every !== undefined) return every * answers
  return nth ?? (first === undefined ? undefined : answers)
}
