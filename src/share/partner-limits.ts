import type { Seed } from '../fixtures/seed.ts'
import type { CommandStep } from '../session/session.ts'
import { DEFAULT_LIMITS, findTooLong } from '../store/world-limits.ts'
import { sizeOf } from '../world/commands/additions.ts'
import type { Additions, WrittenRecord } from '../world/commands/command.ts'
import type { Command } from '../world/commands/index.ts'

/**
 * What the commands of a link may do: as much as the key of a partner on a host with its default limits. Only what they add
 * counts, because the site's own world may be larger.
 */
export class PartnerLimits {
  /** How many faults are armed, apart from the latency of the site. */
  #armed = 0

  /** The limit that the next command exceeds, as the end of a sentence; undefined if it exceeds none. */
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

/** The limit that loading a seed exceeds, as the end of a sentence; undefined if it exceeds none. */
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

/** The record, or the part of one, that a command writes. */
function writtenBy(command: Command): WrittenRecord[] {
  const written = [
    'record' in command && command.record,
    'patch' in command && command.patch,
    'fields' in command && command.fields,
    'state' in command && command.state.record,
  ]
  return written.flatMap((one) => (one ? [{ path: [], fields: one, record: one }] : []))
}

/** How many faults are armed after a command. */
function countArmed(command: Command, before: number): number {
  switch (command.type) {
    case 'fault.add':
      return before + 1
    case 'fault.remove':
      // Only armed faults can be removed, and the latency of the site.
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
