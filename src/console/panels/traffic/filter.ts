import type { Line } from './line.ts'

/** What the list is narrowed to; the address has it. Undefined and empty do not narrow. */
export interface Filter {
  /** Words, all of which are somewhere in the line. */
  q?: string | undefined
  /** The path alone, exactly. */
  path?: string | undefined
  /** A status, the first digit of one, or `command`. */
  status?: string | undefined
  token?: string | undefined
  /** An endpoint, like `GET /projects/{project}`. */
  operation?: string | undefined
  /** The id of a fault, or `any`. */
  fault?: string | undefined
  /** The first and the last sequence of the selected range of time. */
  from?: string | undefined
  to?: string | undefined
}

export const FILTER_NAMES = [
  'q',
  'path',
  'status',
  'token',
  'operation',
  'fault',
  'from',
  'to',
] as const satisfies (keyof Filter)[]

/** Of no filter, for the address. */
export const NO_FILTER: Record<(typeof FILTER_NAMES)[number], undefined> = {
  q: undefined,
  path: undefined,
  status: undefined,
  token: undefined,
  operation: undefined,
  fault: undefined,
  from: undefined,
  to: undefined,
}

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
        (fault === 'any' ? entry.faults.length > 0 : entry.faults.includes(Number(fault))))
    )
  }
}

function isEither(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === '' || wanted === value
}

/** What filters can choose from: what occurs in the lines. */
export interface Choices {
  statuses: string[]
  tokens: string[]
  operations: string[]
  faults: string[]
}

export function choicesOf(lines: readonly Line[]): Choices {
  const statuses = new Set<number>()
  const tokens = new Set<string>()
  const operations = new Set<string>()
  const faults = new Set<number>()
  for (const { entry } of lines) {
    if (entry.kind !== 'request') continue
    statuses.add(entry.status)
    tokens.add(entry.token ?? 'none')
    operations.add(entry.route ?? 'none')
    for (const fault of entry.faults) faults.add(fault)
  }
  return {
    statuses: [...statuses].toSorted((one, other) => one - other).map(String),
    tokens: [...tokens].toSorted((one, other) => one.localeCompare(other)),
    operations: [...operations].toSorted((one, other) => one.localeCompare(other)),
    faults: [...faults].toSorted((one, other) => one - other).map(String),
  }
}
