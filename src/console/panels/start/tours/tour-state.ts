import { signal } from '@preact/signals'
import { ApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { acts, forgetAct } from '../../../state/acts.ts'
import { outdate } from '../../../state/connection.ts'
import { currentWorld } from '../../../state/current-world.ts'
import { notify } from '../../../state/notices.ts'
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
  /** The snapshot of the world as it was before; null where it would be too large. */
  before: unknown
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
  activeTour.value = { tour, world: currentWorld.peek(), plan, seen: [], before, lastAct }
}

/** Does the next step. */
export async function goOn(): Promise<void> {
  const current = activeTour.peek()
  const step = current?.plan.steps[current.seen.length]
  if (!current || !step) return
  const seen = await step.run()
  // It may have been left meanwhile.
  if (activeTour.peek() === current)
    activeTour.value = { ...current, seen: [...current.seen, seen] }
}

/** Ends the tour; the world stays as it is now. */
export function leaveTour(): void {
  activeTour.value = null
}

/** Ends the tour, and restores the world as it was before; the code is as if it had not been. */
export async function putWorldBack(): Promise<void> {
  const current = activeTour.peek()
  if (!current) return
  if (current.before === null) await api.command({ type: 'reset' }, 'Reset the world')
  else await api.send('POST', '/snapshots', { body: current.before })
  for (const { id } of acts.peek()) {
    if (id > current.lastAct) forgetAct(id)
  }
  outdate()
  leaveTour()
  notify('The world is as it was before the tour.')
}

async function takeSnapshot(): Promise<unknown> {
  try {
    const response = await api.send('GET', '/snapshots')
    return await response.json()
  } catch (error) {
    // Too large for one: only a reset leads back.
    if (error instanceof ApiError && error.status > 0) return null
    throw error
  }
}
