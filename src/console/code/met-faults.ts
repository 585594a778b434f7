import { decidingFault } from '../../wording/decision.ts'
import { REPLACING } from '../api/undo.ts'
import type { FaultStatus, JournalEntry, JournalRequest } from '../api/types.ts'
import type { FaultInput } from '../../world/faults/fault.ts'
import type { RecordedAction } from './test-steps.ts'

/** A request of the client that a fault of a recorded step answered. */
export interface MetFault {
  /** The id of the step that armed the fault. */
  step: number
  request: JournalRequest
  /** Number of requests like it after which the fault has answered as often in a test. */
  times: number
}

/**
 * Returns requests of the client that a test has to repeat, one for each recorded fault that answered some: the schedule of the
 * fault counts them. Of several it is the `opened` one, by its sequence, or else the last.
 */
export function metFaults(
  actions: readonly RecordedAction[],
  entries: readonly JournalEntry[],
  opened: number,
): MetFault[] {
  // Where the world was replaced, the ids of faults and the sequences of the journal begin again.
  const begun = actions.findLastIndex(
    (action) => action.kind === 'command' && REPLACING.includes(action.command.type),
  )
  return actions.slice(begun + 1).flatMap((action) => {
    if (action.kind !== 'command' || action.command.type !== 'fault.add') return []
    const { id } = action.result as FaultStatus
    const met = entries.filter(
      (entry): entry is { kind: 'request' } & JournalRequest =>
        entry.kind === 'request' &&
        !entry.from_console &&
        entry.status > 0 &&
        decidingFault(entry) === id,
    )
    const request = met.find(({ sequence }) => sequence === opened) ?? met.at(-1)
    const times = timesOf(action.command.fault.schedule, met.length)
    return request && times !== undefined ? [{ step: action.id, request, times }] : []
  })
}

/**
 * Returns the number of requests after which the fault has answered as often; undefined for a share and a time, which a test
 * cannot repeat by a number of requests.
 */
function timesOf(schedule: FaultInput['schedule'], met: number): number | undefined {
  if (schedule === undefined) return 1
  const { first, every, nth } = schedule
  if (every !== undefined) return every * met
  return nth ?? (first === undefined ? undefined : met)
}
