import { toEndpoint } from '../../contract/routes.ts'
import type { OperationId } from '../../contract/routes.ts'
import { resolveMs } from '../../contract/time.ts'
import type { ApiResponse } from '../../engine/messages.ts'
import { createRandom } from '../../records/random.ts'
import type { Random } from '../../records/random.ts'
import { recordNotFound } from '../command-error.ts'
import type { FaultKind, AffectedRequest } from './fault-kind.ts'
import type { FaultStatus, SavedFaults } from './fault-status.ts'
import type { ArmedFault, Schedule } from './fault.ts'

export interface FaultTarget {
  /** The endpoint; undefined for an unknown path, and for a method other than GET and HEAD. */
  operation: OperationId | undefined
  /** Id of the project in the path; undefined if there is none. */
  project: number | undefined
  /** Id of the request's token; undefined if the token is missing or unknown. */
  token: number | undefined
}

export interface FaultWithKind {
  fault: ArmedFault
  kind: FaultKind
}

type SavedEntry = SavedFaults['armed'][number]
type Entry = SavedEntry & FaultWithKind

export interface FaultsOptions {
  randomSeed: string
  /** The world clock, in epoch milliseconds. */
  nowMs: () => number
}

/** The armed faults, with the number of requests that each has matched and affected. */
export class Faults {
  readonly #randomSeed: string
  readonly #nowMs: () => number
  #lastId = 0
  #armed: Entry[] = []

  constructor({ randomSeed, nowMs }: FaultsOptions) {
    this.#randomSeed = randomSeed
    this.#nowMs = nowMs
  }

  get isEmpty(): boolean {
    return this.#armed.length === 0
  }

  add(added: FaultWithKind): FaultStatus {
    this.#lastId += 1
    const entry = { id: this.#lastId, ...added, matched: 0, fired: 0 }
    this.#armed.push(entry)
    return this.#toStatus(entry)
  }

  /** @throws CommandError for an unknown id. */
  remove(id: number): FaultStatus {
    const entry = this.#armed.find((candidate) => candidate.id === id)
    if (!entry) throw recordNotFound(`There is no fault ${id}. ${this.#describeIds()}`)
    this.#armed = this.#armed.filter((candidate) => candidate !== entry)
    return this.#toStatus(entry)
  }

  /** Replaces all armed faults. The new faults continue the sequence of ids. */
  replace(faults: readonly FaultWithKind[]): FaultStatus[] {
    this.#armed = []
    return faults.map((added) => this.add(added))
  }

  /** Rearms disarmed faults under their ids, which must be free. The list stays in the order of ids. */
  rearm(entries: readonly (Omit<SavedEntry, 'fault'> & FaultWithKind)[]): FaultStatus[] {
    for (const entry of entries) this.#armed.push({ ...entry })
    this.#armed = this.#armed.toSorted((one, other) => one.id - other.id)
    this.#lastId = Math.max(this.#lastId, this.#armed.at(-1)?.id ?? 0)
    return entries.map((entry) => this.#toStatus(entry))
  }

  get count(): number {
    return this.#armed.length
  }

  /** Returns the armed faults, in the order of their ids. */
  list(): FaultStatus[] {
    return this.#armed.map((entry) => this.#toStatus(entry))
  }

  /** Counts a request, and returns the faults that affect it, in the order of their ids. */
  take(target: FaultTarget): DueFault[] {
    if (this.isEmpty) return []
    const nowMs = this.#nowMs()
    const matching = this.#armed.filter(({ fault }) => matches(fault, target))
    for (const entry of matching) entry.matched += 1
    const due = matching.flatMap(({ id, fault, kind, matched: count }) => {
      const random = createRandom(this.#randomSeed, 'fault', id, count)
      return isDue(fault.schedule ?? {}, { count, nowMs, random })
        ? [{ id, fault, kind, random }]
        : []
    })
    const fired = withEffect(due)
    for (const entry of matching) {
      if (fired.some(({ id }) => id === entry.id)) entry.fired += 1
    }
    return fired
  }

  /** Copies the faults. Requests to the copy do not count for the original. */
  copy(): Faults {
    const copy = new Faults({ randomSeed: this.#randomSeed, nowMs: this.#nowMs })
    copy.#lastId = this.#lastId
    copy.#armed = this.#armed.map((entry) => ({ ...entry }))
    return copy
  }

  save(): SavedFaults {
    return structuredClone({ last_id: this.#lastId, armed: this.#armed.map(toSaved) })
  }

  restore(saved: SavedFaults, withKind: (fault: ArmedFault) => FaultWithKind): void {
    this.#lastId = saved.last_id
    this.#armed = structuredClone(saved.armed).map((entry) => ({
      ...entry,
      ...withKind(entry.fault),
    }))
  }

  #toStatus({ id, fault, matched, fired }: Entry): FaultStatus {
    const exhausted = isOver(fault.schedule ?? {}, { count: matched, nowMs: this.#nowMs() })
    return structuredClone({ id, ...fault, matched, fired, exhausted })
  }

  #describeIds(): string {
    const ids = this.#armed.map(({ id }) => id)
    return ids.length > 0 ? `Use one of: ${ids.join(', ')}.` : 'None is armed.'
  }
}

function toSaved({ kind: _kind, ...entry }: Entry): SavedEntry {
  return entry
}

function matches(
  { endpoint, project, token }: ArmedFault,
  { operation, ...target }: FaultTarget,
): boolean {
  return (
    (endpoint === undefined || (operation !== undefined && endpoint === toEndpoint(operation))) &&
    (project === undefined || project === target.project) &&
    (token === undefined || token === target.token)
  )
}

/** A fault that is due for a request, with its random numbers for that request. */
export interface DueFault {
  id: number
  fault: ArmedFault
  kind: FaultKind
  random: Random
}

/** Returns the due faults that take effect: the first one that replaces the response, and those that can alter the result. */
function withEffect(due: readonly DueFault[]): DueFault[] {
  const replacing = due.find(({ kind }) => 'replaces' in kind)
  const replacement = replacing?.kind
  const hasBody = !replacement || ('hasBody' in replacement && replacement.hasBody)
  return due.filter((one) => {
    const { kind } = one
    if ('replaces' in kind) return one === replacing
    return hasBody || !kind.needsBody
  })
}

export function applyFaults(due: readonly DueFault[], request: AffectedRequest): ApiResponse {
  if (due.length === 0) return request.answer()
  const response = due.reduce(alter, replace(due, request) ?? request.answer())
  const delays = due.filter(({ kind }) => 'onlyDelays' in kind)
  return { ...response, faults: idsOf(due), delays: delays.length > 0 ? idsOf(delays) : undefined }
}

function idsOf(due: readonly DueFault[]): number[] {
  return due.map(({ id }) => id)
}

/** Returns the response of the first fault that replaces the API's; undefined if none does. */
function replace(due: readonly DueFault[], request: AffectedRequest): ApiResponse | undefined {
  for (const { fault, kind } of due) {
    if ('replaces' in kind) {
      return { ...kind.replaces(fault as never, request), problem: undefined }
    }
  }
  return undefined
}

function alter(response: ApiResponse, { fault, kind, random }: DueFault): ApiResponse {
  return 'alters' in kind ? kind.alters(response, fault as never, random) : response
}

interface MatchedRequest {
  /** Position of the request among those that the fault targets, from 1. */
  count: number
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  random: Random
}

function isDue(schedule: Schedule, { count, nowMs, random }: MatchedRequest): boolean {
  const { first = Infinity, every = 1, nth = count, share = 1 } = schedule
  return (
    count <= first &&
    count % every === 0 &&
    count === nth &&
    random.chance(share) &&
    nowMs >= startOf(schedule) &&
    nowMs < endOf(schedule)
  )
}

/** True if the fault can affect no later request, unless the world clock is set back. */
function isOver(schedule: Schedule, { count, nowMs }: Omit<MatchedRequest, 'random'>): boolean {
  const { first = Infinity, nth = Infinity } = schedule
  return count >= Math.min(first, nth) || nowMs >= endOf(schedule)
}

function startOf({ from }: Schedule): number {
  return from === undefined ? -Infinity : resolveMs(from, 0)
}

function endOf({ until }: Schedule): number {
  return until === undefined ? Infinity : resolveMs(until, 0)
}
