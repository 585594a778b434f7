import { lowerBound } from '../contract/lists.ts'
import { headerIn, READ_HEADERS, TOKEN_HEADERS } from '../engine/messages.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { Journal } from '../journal/journal.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { findReport, toCommand, toPut } from '../world/change.ts'
import type { Change } from '../world/change.ts'
import type { Loaded, LoadSource } from '../world/commands/command.ts'
import { definitionOf, startsSession } from '../world/commands/index.ts'
import type { Command } from '../world/commands/index.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import { isCut, isTimed, isTooLate } from '../world/handle-request.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import { requireWithin } from './store-options.ts'
import type { SharedLimits } from './store-options.ts'
import type { StoredInputs } from './stored-inputs.ts'
import type { Creation, StartOptions } from './world-creator.ts'
import { withoutKeys, digestOf } from './world-key.ts'

/**
 * An entry in the log of a world, as plain JSON: a request, a change, the end of a response, or the version of the
 * reviewers that restart the review.
 */
export type LogEntry =
  | { request: LoggedRequest }
  | LoggedChange
  | { end: LoggedEnd }
  | { review: number }

/** A request without the values that are computed from it. */
export type LoggedRequest = [
  method: string,
  path: string,
  query: string,
  clientIp: string,
  origin: string,
  headers: readonly string[],
]

/** The end of a response in the log of a world. Every server that holds the world applies it, not only the one that responded. */
export interface LoggedEnd {
  sequence: number
  /**
   * Arrival of the request by the clock of the store, in epoch milliseconds. It helps to identify the request, because
   * sequences begin again after a reset.
   */
  arrived_ms: number
  /** Sequence of the last journal entry that the responding server had applied when the response ended. */
  after: number
  /** Time of the end in epoch milliseconds: `arrived_ms` plus the duration of the response. */
  ended_ms: number
  /** True if the client disconnected early, and no fault cuts the response off; otherwise omitted. */
  aborted?: true
}

/** A change. The data that it loads is stored once, under its digest. */
export interface LoggedChange {
  change: Change
  /** The digest of the seed and the names of its files; omitted unless the change loads fixtures or a scenario. */
  loads?: { seed: string; files?: readonly string[] | undefined }
  /** The digest of the snapshot that the change restores; omitted if it restores none. */
  restores?: string
}

/**
 * Names of the headers kept in an entry, in lower case: those that the sandbox reads, and, for the journal, those that
 * name the host, the kind of client, and the method and headers of a browser's preflight.
 *
 * All other headers are dropped, because many differ in each request, and cookies and keys for other systems do not
 * belong in a store and its backups. For the same reason, `toLoggedRequest` drops the values of `TOKEN_HEADERS`.
 */
export const LOGGED_HEADERS: ReadonlySet<string> = new Set([
  ...READ_HEADERS,
  'access-control-request-headers',
  'access-control-request-method',
  'host',
  'user-agent',
])

/**
 * Returns a request in its logged form, without keys and codes that the client sent by mistake. The receiving server
 * uses the same form, so that the journals of all servers agree.
 */
export function toLoggedRequest(request: ApiRequest): LoggedRequest {
  const { method, path, query, clientIp, origin, headers = [] } = request
  const logged: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const lower = name.toLowerCase()
    if (isTokenHeader(lower)) {
      // The value may be a key for another system. The review only needs to know that this header was sent instead of a
      // token.
      if (request.header('authorization') === undefined) logged.push(name, '')
    } else if (LOGGED_HEADERS.has(lower)) logged.push(name, withoutKeys(headers[at + 1] ?? ''))
  }
  const [target, parameters] = [withoutKeys(path), withoutKeys(query)]
  return [method, target, parameters, clientIp, withoutKeys(origin), logged]
}

function isTokenHeader(name: string): boolean {
  return TOKEN_HEADERS.some((one) => one === name)
}

export function fromLoggedRequest(logged: LoggedRequest): ApiRequest {
  const [method, path, query, clientIp, origin, headers] = logged
  return {
    method,
    path,
    query,
    clientIp,
    origin,
    headers,
    header: (name) => headerIn(headers, name),
  }
}

interface EntryContext {
  world: World
  creation: Creation
  start: StartOptions
  limits: SharedLimits | undefined
}

/** An entry, and the text to store with it; no text if the entry loads nothing. */
export interface PreparedEntry {
  entry: LoggedChange
  text?: string
}

/**
 * Converts a change to a log entry, and loads its data, so that the replicas need not. Validates the command as far as
 * that needs no state, and checks the limits of the host against the world as last applied here. Replicas check the
 * rest when they apply the entry.
 *
 * @throws CommandError, FixtureError, OptionError
 */
export async function toEntry(change: Change, context: EntryContext): Promise<PreparedEntry> {
  if ('move_clock' in change) {
    for (const command of change.move_clock) parseCommand(command)
    return { entry: { change } }
  }
  if ('report' in change) {
    const { records } = context.world
    // An unknown report is no error yet, because another server may have created it.
    if (findReport(change.report, records))
      await requireRoom(context, parseCommand(toCommand(change, records)))
    return { entry: { change } }
  }
  const command = 'command' in change ? parseCommand(change.command) : toPut(change)
  const definition = definitionOf(command)
  const loaded = await definition.load?.(sourceOf(context), command as never)
  const { [definition.loadedField ?? '']: _, ...rest } = command as Record<string, unknown>
  await requireRoom(context, command, loaded)
  if (!loaded) return { entry: { change } }
  const text = JSON.stringify('seed' in loaded ? loaded.seed : loaded.snapshot)
  const logged = { change: { command: rest } }
  const key = digestOf(text)
  if ('snapshot' in loaded) return { entry: { ...logged, restores: key }, text }
  const loads = { seed: key, ...(loaded.files && { files: loaded.files }) }
  return { entry: { ...logged, loads }, text }
}

/** @throws CommandError if the command would exceed the limits of the world's host */
async function requireRoom(
  { world, limits }: EntryContext,
  command: Command,
  loaded?: Loaded,
): Promise<void> {
  const added = limits && (await world.additionsBy(definitionOf(command), command, loaded))
  if (added) requireWithin(limits, added, world.size)
}

/**
 * Returns a source of fixtures and scenarios. It reads fixtures with the generation options, if any, that were stated when
 * the world was created.
 */
function sourceOf({ start, creation: { stated } }: EntryContext): LoadSource {
  return {
    scenarios: start.scenarios,
    readFixtures: (fixtures) => start.readSeed({ fixtures, ...(stated.generate && stated) }),
  }
}

/** Reads the seed or snapshot that a change loads; undefined if it loads nothing. @throws StoreError */
export async function loadedBy(
  { loads, restores }: LoggedChange,
  inputs: StoredInputs,
): Promise<Loaded | undefined> {
  if (loads) return { ...loads, seed: await inputs.seed(loads.seed) }
  if (restores === undefined) return undefined
  return { snapshot: JSON.parse(await inputs.text(restores)) as Snapshot }
}

/** Returns the digest of the text that an entry loads; undefined if it loads none. */
export function textOf({ loads, restores }: LoggedChange): string | undefined {
  return loads?.seed ?? restores
}

/** True for a change that frees room, such as a deletion or a reset. Even a full world accepts it. */
export function freesRoom(change: Change): boolean {
  const command = commandIn(change)
  return command !== undefined && definitionOf(command).frees?.(command as never) === true
}

/** True for a change that discards the previous state, and so starts a session. */
export function discardsState(change: Change): boolean {
  const command = commandIn(change)
  return command !== undefined && startsSession(command)
}

function commandIn(change: Change): Command | undefined {
  return 'command' in change && !('report' in change) ? (change.command as Command) : undefined
}

/** The end of a response, without the time of the end. */
export type UntimedEnd = Omit<LoggedEnd, 'ended_ms'>

/**
 * Returns a callback that logs the end of a response if the time of the end matters, or if the client disconnected
 * early. The callback does nothing if the world was restarted meanwhile.
 */
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

/**
 * Applies the logged end of a response. Ignores it if the journal no longer has the request, if the world was
 * restarted, if the end is already known, or if it comes after `MAXIMUM_AWAITED` later records.
 */
export function applyEnd(world: World, end: LoggedEnd): void {
  const { sequence, arrived_ms: arrivedMs, ended_ms: endedMs, after, aborted = false } = end
  const { journal } = world
  const recorded = journal.recordedAt(sequence)
  if (recorded?.atMs !== arrivedMs || recorded.responseEnd || isTooLate(recorded, journal)) return
  world.endResponse(recorded, {
    // Other servers may have answered requests that the server of this response had not seen yet.
    after: Math.max(after, lastBefore(endedMs, journal)),
    // The offset at the request applies, because a later change of the clock may have come after the end.
    rateMs: endedMs + recorded.rateOffsetMs,
    ...(aborted && { isAborted: true }),
  })
}

/**
 * Returns the sequence of the last kept request that arrived before a time by the clock of the store, in epoch
 * milliseconds; 0 if there is none.
 */
function lastBefore(ms: number, { recorded }: Journal): number {
  const count = lowerBound(recorded.length, (index) => (recorded[index]?.atMs ?? Infinity) >= ms)
  return recorded[count - 1]?.sequence ?? 0
}
