import type {
  ClockState,
  CollectionName,
  Command,
  FaultStatus,
  GapStatus,
  RecordState,
  Responses,
} from './types.ts'

/** Commands that replace the world, so that an undo restores all of it. */
export const REPLACING: readonly Command['type'][] = ['reset', 'scenario.load', 'fixtures.load']

/** The means of undoing a step, limited to the data that the step touched. */
export interface Undo {
  /** Undoes the step. Resolves to false, and changes nothing, if that data has changed since. */
  take: () => Promise<boolean>
  /** The effect that remains after an undo, for the label; none if omitted. */
  stays?: string
}

/** The part of the control API that an undo needs. */
interface UndoApi {
  get: <Path extends keyof Responses>(path: Path) => Promise<Responses[Path]>
  /** Sends a command without recording it. */
  send: (command: Command) => Promise<unknown>
  moveClock: (change: { now: string; frozen: boolean }) => Promise<unknown>
}

/** Creates the undo of an applied command from the command's result. */
type Finish = (result: unknown) => Promise<Undo>

/**
 * Reads the data that a command is about to touch. Undefined for a command that does not change the world, and for one that
 * replaces it: that is undone by restoring the whole world.
 */
export async function prepareUndo(command: Command, api: UndoApi): Promise<Finish | undefined> {
  switch (command.type) {
    case 'clock.set':
    case 'clock.freeze':
    case 'clock.advance':
      return prepareClock(command, api)
    case 'policy.set':
      return preparePolicies(command.policies, api)
    case 'fault.add':
      return async (result) => disarming(result as FaultStatus, api)
    case 'fault.remove':
      return async (result) => arming(command, [result as FaultStatus], api)
    case 'fault.set':
      return prepareFaults(command, api)
    case 'record.put':
      return prepareRecords(command.collection, [command.record['id'] as number], api)
    case 'record.patch':
    case 'record.delete':
      return prepareRecords(command.collection, [command.id], api)
    case 'report.create':
      return prepareRecords('reports', [], api)
    default:
      return 'report' in command ? prepareRecords('reports', [command.report], api) : undefined
  }
}

/** Moves the world clock back by as much as the step moved it. The rate clock cannot go back. */
async function prepareClock({ type }: Command, api: UndoApi): Promise<Finish> {
  const before = await api.get('/clock')
  return async (result) => {
    const left = result as ClockState
    const leftAt = Date.now()
    return {
      ...(type === 'clock.advance' && { stays: 'the rate clock stays' }),
      take: async () => {
        const now = await api.get('/clock')
        const passed = Date.now() - leftAt
        const moved = between(left.now, now.now) - (left.frozen ? 0 : passed)
        const unnoticed = left.frozen ? 0 : UNNOTICED_MS
        if (now.frozen !== left.frozen || Math.abs(moved) > unnoticed) return false
        const by = left.frozen ? passed : between(left.now, now.now)
        const to = new Date(Date.parse(before.now) + by).toISOString()
        await api.moveClock({ now: before.frozen ? before.now : to, frozen: before.frozen })
        return true
      },
    }
  }
}

/**
 * Tolerance in milliseconds: a running clock may drift from the page's own by this much, and nobody moves a clock by so little.
 */
const UNNOTICED_MS = 10_000

function between(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from)
}

async function preparePolicies(
  set: Readonly<Record<string, unknown>>,
  api: UndoApi,
): Promise<Finish> {
  const isSet = ({ id, policy }: GapStatus) => id in set || (policy !== null && policy in set)
  const read = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await api.get('/policies'))
        .filter(isSet)
        .map(({ id, policy, value }) => [policy ?? id, value ?? '']),
    )
  const before = await read()
  return watched(read, () => api.send({ type: 'policy.set', policies: before }))
}

/** Creates an undo that restores the data only if it is still as the step left it. */
function watched(read: () => Promise<unknown>, restore: () => Promise<unknown>): Finish {
  return async () => {
    const left = await read()
    return {
      take: async () => {
        if (!isSame(await read(), left)) return false
        await restore()
        return true
      },
    }
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function disarming(armed: FaultStatus, api: UndoApi): Undo {
  return {
    take: async () => {
      if (!isArmed(armed, await api.get('/faults'))) return false
      await api.send({ type: 'fault.remove', id: armed.id })
      return true
    },
  }
}

function isArmed(fault: FaultStatus, faults: readonly FaultStatus[]): boolean {
  const now = faults.find(({ id }) => id === fault.id)
  return now !== undefined && isSame(toSaved(now).fault, toSaved(fault).fault)
}

async function prepareFaults(command: Command, api: UndoApi): Promise<Finish> {
  const before = await api.get('/faults')
  return async (result) => arming(command, before, api, result as FaultStatus[])
}

/**
 * Creates an undo that arms the disarmed faults again in place of `others`. It does nothing if the world has been reset or
 * these faults have changed since.
 */
function arming(
  { type }: Command,
  disarmed: readonly FaultStatus[],
  api: UndoApi,
  others: readonly FaultStatus[] = [],
): Undo {
  return {
    take: async () => {
      const applied = (await api.get('/commands')).map(({ command }) => (command as Command).type)
      const faults = await api.get('/faults')
      const ids = faults.map(({ id }) => id)
      const isAsLeft =
        applied.includes(type) &&
        disarmed.every(({ id }) => !ids.includes(id)) &&
        others.every((fault) => isArmed(fault, faults))
      if (!isAsLeft) return false
      for (const { id } of others) await api.send({ type: 'fault.remove', id })
      await api.send({ type: 'fault.restore', faults: disarmed.map(toSaved) })
      return true
    },
  }
}

type SavedFault = Extract<Command, { type: 'fault.restore' }>['faults'][number]

function toSaved({ id, matched, fired, exhausted: _exhausted, ...fault }: FaultStatus): SavedFault {
  return { id, fault, matched, fired }
}

/** Prepares the undo for the records that a command names, and for one that it creates, such as a regenerated report. */
async function prepareRecords(
  collection: CollectionName,
  named: readonly number[],
  api: UndoApi,
): Promise<Finish | undefined> {
  // A project comes and goes with its keywords and reports.
  if (collection === 'projects') return undefined
  const read = (ids: readonly number[]): Promise<RecordState[]> =>
    Promise.all(ids.map((id) => api.get(`/records/${collection}/${id}/state`)))
  const before = await read(named)
  return async (result) => {
    const { id: made } = result as { id?: number }
    const isNew = made !== undefined && collection === 'reports' && !named.includes(made)
    const ids = isNew ? [made, ...named] : named
    // The new report goes first, because two reports cannot share a number.
    const states = isNew ? [NOTHING, ...before] : before
    const finish = watched(
      () => read(ids),
      async () => {
        for (const [index, id] of ids.entries()) {
          await api.send({ type: 'record.restore', collection, id, state: states[index]! })
        }
      },
    )
    return finish(result)
  }
}

const NOTHING: RecordState = { record: null, removed: false, stated: false, moves_from: null }
