import { signal } from '@preact/signals'
import { api } from '../../../api/client.ts'
import type { Command, Snapshot } from '../../../api/types.ts'
import { acts, forgetAct } from '../../../state/acts.ts'
import { currentWorld } from '../../../state/current-world.ts'
import { typeOf } from '../../../state/journal.ts'
import { notify } from '../../../state/notices.ts'
import { mayPutBack, takeSnapshot } from '../../../state/put-back.ts'
import { monthTurns } from './month-turns.ts'
import { reportFinishes } from './report-finishes.ts'
import { tokenRunsDry } from './token-runs-dry.ts'
import type { Plan, Tour } from './tour.ts'

export const TOURS: readonly Tour[] = [reportFinishes, tokenRunsDry, monthTurns]

/** A tour that was begun. */
export interface ActiveTour {
  tour: Tour
  world: string
  plan: Plan
  /** What was seen in the steps that are done. */
  seen: readonly string[]
  /** The world as it was before; null where it is too large to be put back. */
  before: Snapshot | null
  /** The types of the commands that its steps have sent. */
  sent: readonly Command['type'][]
  /** The latest act before the tour. */
  lastAct: number
}

/** The tour that is under way, also while another panel is shown; null for none. */
export const activeTour = signal<ActiveTour | null>(null)

/** Why a tour could not begin here; null where nothing is to be said. */
export const unsuitable = signal<{ tour: string; reason: string; scenario: string } | null>(null)

export async function beginTour(tour: Tour): Promise<void> {
  unsuitable.value = null
  const plan = await tour.plan()
  if ('unsuitable' in plan) {
    unsuitable.value = { tour: tour.id, reason: plan.unsuitable, scenario: plan.scenario }
    return
  }
  const before = await takeSnapshot()
  const lastAct = acts.peek().at(-1)?.id ?? 0
  activeTour.value = { tour, world: currentWorld.peek(), plan, seen: [], before, sent: [], lastAct }
}

/** Does the next step. */
export async function goOn(): Promise<void> {
  const current = activeTour.peek()
  const step = current?.plan.steps[current.seen.length]
  if (!current || !step) return
  const last = acts.peek().at(-1)?.id ?? 0
  const seen = await step.run()
  // It may have been left meanwhile.
  if (activeTour.peek() !== current) return
  const added = acts
    .peek()
    .flatMap((act) => (act.id > last && act.kind === 'command' ? typeOf(act) : []))
  activeTour.value = {
    ...current,
    seen: [...current.seen, seen],
    sent: [...current.sent, ...added],
  }
}

/** Ends the tour; the world stays as it is now. */
export function leaveTour(): void {
  activeTour.value = null
}

/**
 * Ends the tour, and restores the world as it was before; the code is as if it had not been. Asks first where the world
 * has had other changes since.
 */
export async function putWorldBack(): Promise<void> {
  const current = activeTour.peek()
  if (!current) return
  const { before, sent, lastAct } = current
  if (!(await mayPutBack(before && [...before.commands.map(typeOf), ...sent]))) return
  if (before === null) await api.command({ type: 'reset' }, 'Reset the world')
  else await api.restore(before)
  for (const { id } of acts.peek()) {
    if (id > lastAct) forgetAct(id)
  }
  leaveTour()
  notify('The world is as it was before the tour.')
}
