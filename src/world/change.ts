import { SINGULAR } from '../contract/collection-facts.ts'
import type { CollectionName } from '../contract/collection-facts.ts'
import { findDeepValue, TOO_DEEP } from '../contract/nesting.ts'
import type { RecordOf, RecordReader } from '../contract/records.ts'
import { invalidCommand, recordNotFound } from './command-error.ts'
import type { ClockCommand, Command } from './commands/index.ts'

/** A change to a world, other than a request, as plain JSON. It is applied completely or not at all. */
export type Change =
  | RecordChange
  /** Clock commands, applied together with nothing in between. */
  | { move_clock: readonly ClockCommand[] }

/** A change that becomes a command when it is applied. The command may depend on the records at that time. */
type RecordChange =
  | { command: unknown }
  /** A command about a report that is named by its project and number instead of its id. */
  | { report: ReportName; command: { type: ReportCommand['type'] } }
  /** Adds a record, if its id is free. */
  | { add_record: Record<string, unknown>; collection: CollectionName }

/** A report, by its project and its number in that project. */
export interface ReportName {
  project: number
  report_number: number
}

export type ReportCommand = Extract<Command, { report: unknown } | { type: 'record.patch' }>

/** Returns the command for a change, not yet validated. @throws CommandError for an unknown report, or an id that is taken. */
export function toCommand(change: RecordChange, records: RecordReader): unknown {
  if ('report' in change) return withReport(change.command, idOf(change.report, records))
  if ('command' in change) return change.command
  requireFree(change, records)
  return toPut(change)
}

function withReport(command: { type: ReportCommand['type'] }, id: number): object {
  return command.type === 'record.patch' ? { ...command, id } : { ...command, report: id }
}

export function findReport(
  { project, report_number }: ReportName,
  records: RecordReader,
): RecordOf<'reports'> | undefined {
  return records.reportsOf(project).find((candidate) => candidate.report_number === report_number)
}

function idOf(name: ReportName, records: RecordReader): number {
  const found = findReport(name, records)
  if (found) return found.id
  const { project, report_number } = name
  throw recordNotFound(`Project ${project} has no report ${report_number}.`)
}

type Addition = Extract<Change, { add_record: unknown }>

function requireFree({ add_record: { id }, collection }: Addition, records: RecordReader): void {
  if (typeof id !== 'number' || !records.get(collection, id)) return
  const message = `${SINGULAR[collection]} ${id} already exists. Update it, or choose another id.`
  throw invalidCommand({ path: ['id'], message })
}

/** Returns the command that adds a record. The record's id must be free. */
export function toPut({ add_record: record, collection }: Addition): Command {
  return { type: 'record.put', collection, record }
}

/**
 * Copies plain data, so that later changes by the caller have no effect. For data that cannot be copied, such as a function,
 * returns a placeholder, which is not valid as a command or record.
 *
 * @throws CommandError for data that is nested too deeply, contains itself, or repeats more than 64 MB.
 */
export function toPlain<Value>(value: Value): Value {
  const deep = findDeepValue(value)
  if (deep) throw invalidCommand(deep)
  try {
    return structuredClone(value)
  } catch (error) {
    if (error instanceof RangeError) throw invalidCommand({ path: [], message: TOO_DEEP })
    if (!(error instanceof DOMException)) throw error
    return NOT_PLAIN as Value
  }
}

const NOT_PLAIN = 'something that is not plain data'
