import type { Seed } from '../fixtures/seed.ts'
import type { CommandStep } from '../session/session.ts'
import { DEFAULT_LIMITS, requireShortTexts } from '../store/world-limits.ts'
import { CommandError } from '../world/command-error.ts'
import type { Command } from '../world/commands/index.ts'
import type { Snapshot } from '../world/snapshot.ts'

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
      (command.type === 'snapshot.restore' ? findTooMany(sizeOf(command.snapshot)) : undefined) ??
      findLongText(command) ??
      this.#findFaults(command)
    )
  }

  #findFaults(command: Command): string | undefined {
    this.#armed = countArmed(command, this.#armed)
    return findTooMany({ faults: this.#armed })
  }
}

/** The limit that loading a seed exceeds, as the end of a sentence; undefined if it exceeds none. */
export function findTooLarge({ records, generate }: Seed): string | undefined {
  return findTooMany(toCounts(records, generate?.projects)) ?? findLongText(records)
}

type Counts = Partial<Record<'projects' | 'records' | 'faults', number>>

function findTooMany(counts: Counts): string | undefined {
  for (const [name, count] of Object.entries(counts) as [keyof Counts, number][]) {
    const limit = DEFAULT_LIMITS[name]
    if (count > limit) return `has ${count} ${name}, and a link may have ${limit}`
  }
  return undefined
}

function sizeOf({ records, origin, faults }: Snapshot): Counts {
  const counts = toCounts(records, origin.generation?.options.projects)
  return { ...counts, faults: faults.armed.length }
}

function toCounts(records: Seed['records'], generated = 0): Counts {
  const total = Object.values(records).reduce((sum, { length }) => sum + length, generated)
  return { projects: records.projects.length + generated, records: total }
}

function findLongText(value: unknown): string | undefined {
  try {
    requireShortTexts(value)
    return undefined
  } catch (error) {
    if (error instanceof CommandError) return 'has a text that is too long'
    throw error
  }
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
