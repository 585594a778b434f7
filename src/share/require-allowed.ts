import { isApiPath } from '../contract/url.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { CommandStep, SharedSession } from '../session/session.ts'
import { DEFAULT_LIMITS, findTooLong } from '../store/store-options.ts'
import { CommandError } from '../world/command-error.ts'
import { sizeOf } from '../world/commands/additions.ts'
import type { Additions, WrittenRecord } from '../world/commands/command.ts'
import { startsSession } from '../world/commands/index.ts'
import type { Command } from '../world/commands/index.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import { changed, ShareError } from './share-error.ts'

/** Noun for a shared session in messages. */
export type SharedNoun = 'link' | 'session' | 'session file'

type Step = SharedSession['steps'][number]

/** Range of times for the clocks of a tab, in epoch milliseconds. */
const [EARLIEST_MS, LATEST_MS] = [0, Date.UTC(2100, 0)]

const ANOTHER = 'ask whoever sent it for another one'

/** Pattern for the base URL of a request, which has a path if the site is in a folder. */
const ORIGIN = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#@\\]*)?$/

/**
 * Returns the session unchanged if it is safe to replay, even from a stranger.
 *
 * @throws ShareError if it does something that a partner's key may not, or if this release cannot have written it
 */
export function requireAllowed(shared: SharedSession, noun: SharedNoun): SharedSession {
  const { beginning, site, steps } = shared
  requireTime(beginning.at_ms, noun, 'beginning.at_ms')
  requireTime(site.shared_ms, noun, 'site.shared_ms')
  requireSessionStart(shared, noun)
  const partner = new PartnerLimits()
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
 * beforehand, the first step must be a restart.
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

/** True for a command that discards the state of its world. */
export function beginsSession(step: Step): boolean {
  return 'command' in step && startsSession(step.command)
}

/** Returns the reason to refuse a request, as the end of a sentence; undefined if it is allowed. */
function findDisallowed({ path, origin }: { path: string; origin: string }): string | undefined {
  if (!isApiPath(path)) return 'is a request to something other than the API'
  return ORIGIN.test(origin) ? undefined : 'is a request to a server that has no address'
}

/** @throws ShareError if the command is invalid in this release, if `fixtures.load` lacks its seed, or if another command has one */
function readCommand({ command, seed }: CommandStep, noun: SharedNoun, place: string): Command {
  const parsed = parseIfKnown(command)
  if (!parsed) throw changed(noun, `${place}.command`)
  if ((seed === undefined) === (parsed.type === 'fixtures.load'))
    throw changed(noun, `${place}.seed`)
  return parsed
}

/** Parses a command; undefined if it is not a command of this release. */
function parseIfKnown(command: unknown): Command | undefined {
  try {
    return parseCommand(command)
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

/**
 * Limits on the commands of a link: a host's default limits on projects, records, characters and faults, and on the length of
 * texts and records. Each load is checked by itself. The site's own records do not count, because they may
 * exceed the limits.
 */
class PartnerLimits {
  /** Number of armed faults, apart from the latency of the site. */
  #armed = 0

  /** Returns the limit that the next command exceeds, as the end of a sentence; undefined if it exceeds none. */
  findBeyond({
    command,
    seed,
  }: Pick<CommandStep, 'seed'> & { command: Command }): string | undefined {
    return (
      (seed && findTooLarge(seed)) ??
      (command.type === 'snapshot.restore' ? findTooMuch(sizeOf(command)) : undefined) ??
      findTooMuch({ written: writtenBy(command) }) ??
      this.#findFaults(command)
    )
  }

  #findFaults(command: Command): string | undefined {
    this.#armed = countArmed(command, this.#armed)
    return findTooMuch({ faults: this.#armed })
  }
}

/** Returns the limit that loading a seed exceeds, as the end of a sentence; undefined if it exceeds none. */
export function findTooLarge(seed: Seed): string | undefined {
  return findTooMuch(sizeOf({ seed }))
}

const LIMITED = {
  projects: 'projects',
  records: 'records',
  text: 'characters',
  faults: 'faults',
} as const

function findTooMuch({ written = [], ...added }: Additions): string | undefined {
  for (const [name, counted] of Object.entries(LIMITED) as [keyof typeof LIMITED, string][]) {
    const [count = 0, limit] = [added[name], DEFAULT_LIMITS[name]]
    if (count > limit) return `has ${count} ${counted}, and a link may have ${limit}`
  }
  return written.some(findTooLong) ? 'has a text that is too long' : undefined
}

/** Returns the record, or the part of a record, that a command writes. */
function writtenBy(command: Command): WrittenRecord[] {
  const written = [
    'record' in command && command.record,
    'patch' in command && command.patch,
    'fields' in command && command.fields,
    'state' in command && command.state.record,
  ]
  return written.flatMap((one) => (one ? [{ path: [], fields: one, record: one }] : []))
}

/** Returns the number of armed faults after a command. */
function countArmed(command: Command, before: number): number {
  switch (command.type) {
    case 'fault.add':
      return before + 1
    case 'fault.remove':
      // Only armed faults and the latency of the site can be removed.
      return Math.max(0, before - 1)
    case 'fault.set':
      return command.faults.length
    case 'fault.restore':
      return before + command.faults.length
    case 'snapshot.restore':
      return command.snapshot.faults.armed.length
    case 'reset':
    case 'scenario.load':
      return 0
    default:
      return before
  }
}
