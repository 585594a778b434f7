import { isApiPath } from '../contract/url.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { CommandStep, SharedSession } from '../session/session.ts'
import {
  DEFAULT_LIMITS,
  findTooLong,
  MAXIMUM_DELAY_MS,
  MAXIMUM_PROJECT_KEYWORDS,
} from '../store/store-options.ts'
import { CommandError } from '../world/command-error.ts'
import { sizeOf } from '../world/commands/additions.ts'
import type { Additions, WrittenRecord } from '../world/commands/command.ts'
import { startsSession } from '../world/commands/index.ts'
import type { Command } from '../world/commands/index.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import { longestDelay } from '../world/world-size.ts'
import { changed, ShareError } from './share-error.ts'

/** Noun for a shared session in messages. */
export type SharedNoun = 'link' | 'session' | 'session file'

type Step = SharedSession['steps'][number]

/** Permitted times for the clocks of a tab, in epoch milliseconds. */
const [EARLIEST_MS, LATEST_MS] = [0, Date.UTC(2100, 0)]

const ANOTHER = 'ask whoever sent it for another one'

/** Pattern of the field `origin` of a request: a base URL, with a path if the site is in a folder. */
const ORIGIN = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#@\\]*)?$/

/**
 * Returns the session unchanged if it is safe to replay, even if a stranger sent it.
 *
 * @throws ShareError if the session does something that a partner's key must not do, or if this release cannot have written it
 */
export function requireAllowed(shared: SharedSession, noun: SharedNoun): SharedSession {
  const { beginning, site, steps } = shared
  requireTime(beginning.at_ms, noun, 'beginning.at_ms')
  requireTime(site.shared_ms, noun, 'site.shared_ms')
  requireSessionStart(shared, noun)
  const partner = new PartnerLimits(beginning.seed)
  for (const [index, step] of steps.entries()) {
    const place = `steps[${index}]`
    requireTime(step.at_ms, noun, `${place}.at_ms`)
    const beyond =
      'request' in step
        ? findDisallowed(step.request)
        : partner.findBeyond({ command: readCommand(step, noun, place), seed: step.seed })
    if (beyond === undefined) continue
    throw new ShareError(`Step ${index + 1} of this ${noun} ${beyond}: ${ANOTHER}.`)
  }
  return shared
}

function requireTime(ms: number, noun: SharedNoun, place: string): void {
  if (ms < EARLIEST_MS || ms > LATEST_MS) throw changed(noun, place)
}

/**
 * Requires that no step after the first restarts the world, because a restart begins another session. If fixtures were loaded
 * before the session, its first step must be a restart.
 *
 * @throws ShareError if a restart is misplaced or missing, or if the fixtures are larger than a partner may load
 */
function requireSessionStart(
  { beginning: { seed }, steps: [first, ...others] }: SharedSession,
  noun: SharedNoun,
): void {
  const later = others.findIndex(beginsSession)
  if (later !== -1) throw changed(noun, `steps[${later + 1}]`)
  if (!seed) return
  if (!first || !beginsSession(first)) throw changed(noun, 'beginning.seed')
  const beyond = findTooLarge(seed)
  if (beyond === undefined) return
  throw new ShareError(`The starting world of this ${noun} ${beyond}: ${ANOTHER}.`)
}

/** True for a command that restarts its world, and so begins a session. */
export function beginsSession(step: Step): boolean {
  return 'command' in step && startsSession(step.command)
}

/** Returns the reason to refuse a request, as the end of a sentence; undefined if it is allowed. */
function findDisallowed({ path, origin }: { path: string; origin: string }): string | undefined {
  if (!isApiPath(path)) return 'is a request to something other than the API'
  return ORIGIN.test(origin) ? undefined : 'is a request to a server that has no address'
}

/** @throws ShareError if the command is invalid in this release, if `fixtures.load` has no seed, or if any other command has one */
function readCommand({ command, seed }: CommandStep, noun: SharedNoun, place: string): Command {
  const parsed = parseIfKnown(command)
  if (!parsed) throw changed(noun, `${place}.command`)
  if ((seed === undefined) === (parsed.type === 'fixtures.load'))
    throw changed(noun, `${place}.seed`)
  return parsed
}

function parseIfKnown(command: unknown): Command | undefined {
  try {
    return parseCommand(command)
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

/**
 * Limits on the commands of a link: a host's default limits on projects, records, characters and faults, and its limits on the
 * keywords of a project, the total delay of faults, and the length of strings and records. Each load is checked separately.
 * The site's own records are not counted, because they may exceed the limits.
 */
class PartnerLimits {
  /** Delays of the armed faults in milliseconds, the shortest first, without the site's latency. */
  #delaysMs: readonly number[] = []
  /** Ids of the keywords that the link has loaded or written, by project; without those that are generated. */
  #keywords = new Map<unknown, Set<unknown>>()

  constructor(seed: Seed | undefined) {
    if (seed) this.#load(seed)
  }

  /** Returns the limit that the next command exceeds, as the end of a sentence; undefined if it exceeds none. */
  findBeyond({
    command,
    seed,
  }: Pick<CommandStep, 'seed'> & { command: Command }): string | undefined {
    this.#delaysMs = delaysAfter(command, this.#delaysMs)
    return (
      (seed && findTooLarge(seed)) ??
      (command.type === 'snapshot.restore' ? findTooMuch(sizeOf(command)) : undefined) ??
      findTooMuch({
        written: writtenBy(command),
        keywords: this.#countKeywords(command, seed),
        faults: this.#delaysMs.length,
        delayMs: this.#delaysMs.reduce((sum, ms) => sum + ms, 0),
      })
    )
  }

  #load({ records }: Pick<Seed, 'records'>): void {
    this.#keywords = new Map()
    for (const { project, id } of records.keywords) this.#addKeyword(project, id)
  }

  /** Adds a keyword to those of its project, and returns their number. */
  #addKeyword(project: unknown, id: unknown): number {
    const ids = this.#keywords.get(project) ?? new Set()
    this.#keywords.set(project, ids)
    return ids.add(id).size
  }

  /** Returns the number of keywords of the project to which the command adds one; 0 for any other command. */
  #countKeywords(command: Command, seed: Seed | undefined): number {
    const loaded = command.type === 'snapshot.restore' ? command.snapshot : seed
    if (loaded) this.#load(loaded)
    if (!('collection' in command) || command.collection !== 'keywords') return 0
    const { project, id } = Object.assign({}, command, writtenBy(command)[0]?.fields) as {
      project?: unknown
      id?: unknown
    }
    return project === undefined ? 0 : this.#addKeyword(project, id)
  }
}

/** Returns the limit that loading a seed exceeds, as the end of a sentence; undefined if it exceeds none. */
export function findTooLarge(seed: Seed): string | undefined {
  return findTooMuch(sizeOf({ seed }))
}

const LIMITED: readonly [counted: keyof Additions, most: number, noun: string][] = [
  ['projects', DEFAULT_LIMITS.projects, 'projects'],
  ['records', DEFAULT_LIMITS.records, 'records'],
  ['text', DEFAULT_LIMITS.text, 'characters'],
  ['keywords', MAXIMUM_PROJECT_KEYWORDS, 'keywords in a project'],
  ['faults', DEFAULT_LIMITS.faults, 'faults'],
  ['delayMs', MAXIMUM_DELAY_MS, 'ms of delay by its faults'],
]

function findTooMuch(added: Additions): string | undefined {
  for (const [counted, most, noun] of LIMITED) {
    const count = Number(added[counted] ?? 0)
    if (count > most) return `has ${count} ${noun}, and a link may have ${most}`
  }
  return added.written?.some(findTooLong) ? 'has a text that is too long' : undefined
}

function writtenBy(command: Command): WrittenRecord[] {
  const written = [
    'record' in command && command.record,
    'patch' in command && command.patch,
    'fields' in command && command.fields,
    'state' in command && command.state.record,
  ]
  return written.flatMap((one) => (one ? [{ path: [], fields: one, record: one }] : []))
}

/** Returns the delays of the armed faults after a command, in milliseconds, the shortest first. */
function delaysAfter(command: Command, before: readonly number[]): readonly number[] {
  switch (command.type) {
    case 'fault.add':
      return toDelays([command.fault], before)
    case 'fault.remove':
      // The link does not say which fault has this id, so only the shortest delay is removed.
      return before.slice(1)
    case 'fault.set':
      return toDelays(command.faults)
    case 'fault.restore':
      return toDelays(
        command.faults.map(({ fault }) => fault),
        before,
      )
    case 'snapshot.restore':
      return toDelays(command.snapshot.faults.armed.map(({ fault }) => fault))
    case 'reset':
    case 'scenario.load':
      return []
    default:
      return before
  }
}

function toDelays(faults: readonly object[], before: readonly number[] = []): number[] {
  return [...before, ...faults.map((fault) => longestDelay([fault]))].toSorted((a, b) => a - b)
}
