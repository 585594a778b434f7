import type {
  ClockState,
  CollectionName,
  Command,
  FaultStatus,
  GapStatus,
  RecordState,
  Responses,
  Snapshot,
} from './types.ts'

/** Commands that replace the world. Their undo restores a snapshot. */
export const REPLACING_COMMANDS: readonly Command['type'][] = [
  'reset',
  'scenario.load',
  'fixtures.load',
]

/** The undo of a command: either commands that restore the changed data, or a snapshot of the world before the command. */
export type Undo =
  | {
      before: Snapshot
      /** Result of `countSent` before the command. */
      sent: number
    }
  | { toCommands: ToCommands }

/** Returns the commands of the undo, in order; undefined if the data has changed since. */
type ToCommands = () => Promise<readonly Command[] | undefined>

type Read = <Path extends keyof Responses>(path: Path) => Promise<Responses[Path]>

type Finish = (result: unknown) => Promise<Undo>

/**
 * Reads the data that a command is about to change. Returns a function that creates the undo from the result of the command;
 * undefined if no commands can undo it, as for a change of a project.
 */
export async function prepareUndo(command: Command, read: Read): Promise<Finish | undefined> {
  switch (command.type) {
    case 'clock.set':
    case 'clock.freeze':
    case 'clock.advance':
      return prepareClock(read)
    case 'policy.set':
      return preparePolicies(command.policies, read)
    case 'fault.add':
      return async (result) => undoArming(result as FaultStatus, read)
    case 'fault.remove':
      return async (result) => undoDisarming(command, [result as FaultStatus], read)
    case 'fault.set':
      return prepareFaults(command, read)
    case 'record.put':
      return prepareRecords(command.collection, [command.record['id'] as number], read)
    case 'record.patch':
    case 'record.delete':
      return prepareRecords(command.collection, [command.id], read)
    case 'report.create':
      return prepareRecords('reports', [], read)
    default:
      return 'report' in command ? prepareRecords('reports', [command.report], read) : undefined
  }
}

/** The undo restores only the world clock, because the rate clock cannot go back. */
async function prepareClock(read: Read): Promise<Finish> {
  const before = await read('/clock')
  return async (result) => {
    const left = result as ClockState
    const leftAt = Date.now()
    return {
      toCommands: async () => {
        const now = await read('/clock')
        const passed = Date.now() - leftAt
        const moved = between(left.now, now.now) - (left.frozen ? 0 : passed)
        const tolerance = left.frozen ? 0 : DRIFT_MS
        if (now.frozen !== left.frozen || Math.abs(moved) > tolerance) return undefined
        const by = left.frozen ? passed : between(left.now, now.now)
        const to = new Date(Date.parse(before.now) + by).toISOString()
        return [
          ...(before.frozen === now.frozen
            ? []
            : [{ type: 'clock.freeze', frozen: before.frozen } as const]),
          { type: 'clock.set', now: before.frozen ? before.now : to },
        ]
      },
    }
  }
}

/**
 * Maximum difference between the time that passed on a running world clock and on the browser's clock. A larger difference means
 * that another command has moved the world clock.
 */
const DRIFT_MS = 10_000

function between(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from)
}

async function preparePolicies(
  set: Readonly<Record<string, unknown>>,
  read: Read,
): Promise<Finish> {
  const isSet = ({ id, policy }: GapStatus) => id in set || (policy !== null && policy in set)
  const readSet = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await read('/policies'))
        .filter(isSet)
        .map(({ id, policy, value }) => [policy ?? id, value ?? '']),
    )
  const before = await readSet()
  return unlessChanged(readSet, [{ type: 'policy.set', policies: before }])
}

function unlessChanged(readData: () => Promise<unknown>, commands: readonly Command[]): Finish {
  return async () => {
    const left = await readData()
    return { toCommands: async () => (isSame(await readData(), left) ? commands : undefined) }
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function undoArming(armed: FaultStatus, read: Read): Undo {
  return {
    toCommands: async () =>
      isArmed(armed, await read('/faults')) ? [{ type: 'fault.remove', id: armed.id }] : undefined,
  }
}

function isArmed(fault: FaultStatus, faults: readonly FaultStatus[]): boolean {
  const now = faults.find(({ id }) => id === fault.id)
  return now !== undefined && isSame(toSaved(now).fault, toSaved(fault).fault)
}

async function prepareFaults(command: Command, read: Read): Promise<Finish> {
  const before = await read('/faults')
  return async (result) => undoDisarming(command, before, read, result as FaultStatus[])
}

/**
 * Creates an undo that arms the disarmed faults again in place of `armed`. The undo is refused if the world has been replaced, or
 * any of these faults has changed since.
 */
function undoDisarming(
  { type }: Command,
  disarmed: readonly FaultStatus[],
  read: Read,
  armed: readonly FaultStatus[] = [],
): Undo {
  return {
    toCommands: async () => {
      const applied = (await read('/commands')).map(({ command }) => (command as Command).type)
      const faults = await read('/faults')
      const ids = faults.map(({ id }) => id)
      const isAsLeft =
        applied.includes(type) &&
        disarmed.every(({ id }) => !ids.includes(id)) &&
        armed.every((fault) => isArmed(fault, faults))
      if (!isAsLeft) return undefined
      return [
        ...armed.map(({ id }) => ({ type: 'fault.remove', id }) as const),
        { type: 'fault.restore', faults: disarmed.map(toSaved) },
      ]
    },
  }
}

type SavedFault = Extract<Command, { type: 'fault.restore' }>['faults'][number]

function toSaved({ id, matched, fired, exhausted: _exhausted, ...fault }: FaultStatus): SavedFault {
  return { id, fault, matched, fired }
}

/** Prepares an undo for the records named by a command and for a report that the command creates. */
async function prepareRecords(
  collection: CollectionName,
  named: readonly number[],
  read: Read,
): Promise<Finish | undefined> {
  // Keywords and reports come and go with their project, so only a snapshot can restore a project.
  if (collection === 'projects') return undefined
  const readStates = (ids: readonly number[]): Promise<RecordState[]> =>
    Promise.all(ids.map((id) => read(`/records/${collection}/${id}/state`)))
  const before = await readStates(named)
  return async (result) => {
    const { id: made } = result as { id?: number }
    const isNew = made !== undefined && collection === 'reports' && !named.includes(made)
    const ids = isNew ? [made, ...named] : named
    // The new report is removed first, because two reports of a project cannot have the same number.
    const states = isNew ? [NO_RECORD, ...before] : before
    const commands = ids.map((id, index): Command => {
      return { type: 'record.restore', collection, id, state: states[index]! }
    })
    return unlessChanged(() => readStates(ids), commands)(result)
  }
}

const NO_RECORD: RecordState = { record: null, removed: false, stated: false, moves_from: null }
