import { toShownJson } from '../../contract/describe.ts'
import type { Plan } from '../../review/rehearsal.ts'
import { dayOf } from '../../review/reports/rehearsal.ts'
import { colorsFor } from '../colors.ts'
import { count } from '../count.ts'
import { sayDuration } from '../say-duration.ts'
import type { ServeSettings } from '../serve-options.ts'

/** What starting a small script takes. */
const USUAL_MS = 200

/** Prints a plan without running anything, and how long that would take; returns the exit code. */
export function printPlan(plan: Plan, { json = false }: ServeSettings): number {
  process.stdout.write(json ? `${toShownJson(plan)}\n` : toText(plan))
  return 0
}

function toText({ seed, profile, start, every, runs, lacks }: Plan): string {
  const { bold, dim } = colorsFor(process.stdout)
  const width = String(runs.length).length
  const busy = runs.filter(({ events }) => events.length > 0)
  const lines = [
    bold(
      `${count(runs.length, 'run')} from ${start.slice(0, 10)} on, ${every} apart (${profile}, seed ${seed})`,
    ),
    ...busy.map(
      ({ number, at, kind, events }) =>
        `${String(number).padStart(width)}  ${dayOf(at).padEnd(6)}  ${dim(kind.padEnd(6))}  ${events.join('; ')}`,
    ),
    ...(busy.length < runs.length
      ? [`Nothing special happens in the other ${count(runs.length - busy.length, 'run')}.`]
      : []),
    ...lacks.map(({ event, reason }) => `Not rehearsed: ${event}. ${reason}`),
    `A command that takes ${sayDuration(USUAL_MS)} would take ${sayDuration(USUAL_MS * runs.length)} in all, one that takes a second ${sayDuration(1000 * runs.length)}; its own pauses come on top.`,
  ]
  return `${lines.join('\n')}\n`
}
