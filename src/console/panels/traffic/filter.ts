import { decidingFault } from '../../../wording/decision.ts'
import type { Line } from './line.ts'

export const FILTER_NAMES = [
  /** Words, all of which are somewhere in the line. */
  'q',
  /** The path alone, exactly. */
  'path',
  /** A status, the first digit of one, or `command`. */
  'status',
  'token',
  /** An endpoint, like `GET /projects/{project}`. */
  'operation',
  /** The id of a fault that affected it, or `any` for those that a fault decided. */
  'fault',
  /** The first and the last sequence of the selected range of time. */
  'from',
  'to',
] as const

/** What the list is narrowed to; the address has it. Undefined and empty do not narrow. */
export type Filter = { [Name in (typeof FILTER_NAMES)[number]]?: string | undefined }

/** Removes all filters from the address. */
export const NO_FILTER: Filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]))

/** Whether lines match. Commands match words, their own status and a range alone: they have nothing else. */
export function matcherOf(filter: Filter): (line: Line) => boolean {
  const { q = '', path, status = '', token, operation, fault } = filter
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const from = Number(filter.from ?? 0)
  const to = Number(filter.to ?? Infinity)
  const isOfRequests = [path, token, operation, fault].some((value) => (value ?? '') !== '')
  return ({ entry, sequence, text }) => {
    if (sequence < from || sequence > to) return false
    if (!words.every((word) => text.includes(word))) return false
    if (entry.kind === 'command') return !isOfRequests && (status === '' || status === 'command')
    return (
      (status === '' || String(entry.status).startsWith(status)) &&
      isEither(path, entry.path) &&
      isEither(token, entry.token ?? 'none') &&
      isEither(operation, entry.route ?? 'none') &&
      ((fault ?? '') === '' ||
        (fault === 'any'
          ? decidingFault(entry) !== undefined
          : entry.faults.includes(Number(fault))))
    )
  }
}

function isEither(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === '' || wanted === value
}

/** What filters can choose from: what occurs in the lines. */
export function choicesOf(lines: readonly Line[]) {
  const statuses = new Set<number>()
  const tokens = new Set<string>()
  const operations = new Set<string>()
  const faults = new Set<number>()
  for (const { entry } of lines) {
    if (entry.kind !== 'request') continue
    statuses.add(entry.status)
    tokens.add(entry.token ?? 'none')
    operations.add(entry.route ?? 'none')
    const fault = decidingFault(entry)
    if (fault !== undefined) faults.add(fault)
  }
  return {
    statuses: [...statuses].toSorted((one, other) => one - other).map(String),
    tokens: [...tokens].toSorted((one, other) => one.localeCompare(other)),
    operations: [...operations].toSorted((one, other) => one.localeCompare(other)),
    faults: [...faults].toSorted((one, other) => one - other).map(String),
  }
}
