import { lowerBound } from '../contract/lists.ts'
import { headerIn, READ_HEADERS, TOKEN_HEADERS } from '../engine/messages.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { Journal } from '../journal/journal.ts'
import type { LoggedEnd, RecordedRequest } from '../journal/recorded-request.ts'
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
 * An entry of the log of a world, as plain JSON: anything that changes the world, the end of a response, or the version for
 * which the review begins again.
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

/** A change; the data that it loads is stored once, under its digest. */
export interface LoggedChange {
  change: Change
  /** For a change that loads fixtures or a scenario: the digest of the seed, and the names of the files. */
  loads?: { seed: string; files?: readonly string[] | undefined }
  /** The digest of the snapshot that the change restores. */
  restores?: string
}

/**
 * Headers that an entry keeps: those that are read, and those by which the journal shows the kind of client and the preflight
 * request of its browser. All others are dropped: proxies, browsers and tracing libraries add headers that no list could
 * foresee, many of them different in each request; and cookies and keys for other systems have no place in a store and its
 * backups.
 */
export const LOGGED_HEADERS: ReadonlySet<string> = new Set([
  ...READ_HEADERS,
  'access-control-request-headers',
  'access-control-request-method',
  'host',
  'user-agent',
])

/**
 * Returns a request in its logged form, without keys and codes that its client sends by mistake. The server that received it
 * also applies this form, so that the journals of all servers agree.
 */
export function toLoggedRequest(request: ApiRequest): LoggedRequest {
  const { method, path, query, clientIp, origin, headers = [] } = request
  const logged: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const lower = name.toLowerCase()
    if (isTokenHeader(lower)) {
      // The value may be a key for another system; a review only reports that it was sent instead of a token.
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

/** An entry, and the text that is stored for it. */
export interface PreparedEntry {
  entry: LoggedChange
  text?: string
}

/**
 * Converts a change to an entry of the log of a world. It is checked as far as that is possible without state, and its data is
 * already loaded, so that replicas need not do either again.
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
    // Another server may have created a report that this one does not know yet.
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

/** @throws CommandError if the command would take the world over its host's limits. */
async function requireRoom(
  { world, limits }: EntryContext,
  command: Command,
  loaded?: Loaded,
): Promise<void> {
  const added = limits && (await world.additionsBy(definitionOf(command), command, loaded))
  if (added) requireWithin(limits, added, world.size)
}

/** Returns a source that generates fixtures with the options that were stated at the creation of the world. */
function sourceOf({ start, creation: { stated } }: EntryContext): LoadSource {
  return {
    scenarios: start.scenarios,
    readFixtures: (fixtures) => start.readSeed({ fixtures, ...(stated.generate && stated) }),
  }
}

/** Reads the seed or snapshot that the command of a change has loaded; undefined if it loads nothing. @throws StoreError */
export async function loadedBy(
  { loads, restores }: LoggedChange,
  inputs: StoredInputs,
): Promise<Loaded | undefined> {
  if (loads) return { ...loads, seed: await inputs.seed(loads.seed) }
  if (restores === undefined) return undefined
  return { snapshot: JSON.parse(await inputs.text(restores)) as Snapshot }
}

/** Returns the digest of the text that a change loads; undefined if it loads none. */
export function textOf({ loads, restores }: LoggedChange): string | undefined {
  return loads?.seed ?? restores
}

/** True for a change that only removes data, which even a full world accepts. */
export function freesRoom(change: Change): boolean {
  const command = commandIn(change)
  return command !== undefined && definitionOf(command).frees?.(command as never) === true
}

/** True for a change that discards the previous state, and everything that had been loaded. */
export function discardsState(change: Change): boolean {
  const command = commandIn(change)
  return command !== undefined && startsSession(command)
}

function commandIn(change: Change): Command | undefined {
  return 'command' in change && !('report' in change) ? (change.command as Command) : undefined
}

/** Ends of responses, in the log of a store. */

/** An end whose time is not known yet. */
export type UntimedEnd = Omit<LoggedEnd, 'ended_ms'>

/** Returns a callback that passes the end of a response to the log of a store, if it matters. */
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

/** Records the end of a response as logged, unless its request is no longer kept, or the world was restarted. */
export function applyEnd(world: World, end: LoggedEnd): void {
  const { sequence, arrived_ms: arrivedMs, ended_ms: endedMs, after, aborted = false } = end
  const { journal } = world
  const recorded = journal.recordedAt(sequence)
  if (recorded?.atMs !== arrivedMs || recorded.responseEnd || isTooLate(recorded, journal)) return
  world.endResponse(recorded, {
    // The server of the response may not have known all that other servers had answered by then.
    after: Math.max(after, lastBefore(endedMs, journal)),
    // Any change of the clock since the request may have come after the end.
    rateMs: endedMs + recorded.rateOffsetMs,
    ...(aborted && { isAborted: true }),
  })
}

/** Returns the sequence of the last kept request that arrived before a time, by the machine's clock; 0 if there is none. */
function lastBefore(ms: number, { recorded }: Journal): number {
  const count = lowerBound(recorded.length, (index) => (recorded[index]?.atMs ?? Infinity) >= ms)
  return recorded[count - 1]?.sequence ?? 0
}
