import { signal } from '@preact/signals'
import { api, countSent } from '../../api/client.ts'
import { revision } from '../../api/transport.ts'
import type { Explanation, Snapshot } from '../../api/types.ts'
import { actions, forgetAction, currentWorld } from '../../state/current-world.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { showNotice } from '../../state/notices.ts'
import { mayRestore, readSnapshot } from '../../state/replace-world.ts'
import { monthTurns } from './month-turns.ts'
import { reportFinishes } from './report-finishes.ts'
import { tokenRunsDry } from './token-runs-dry.ts'
import { historyQuery } from '../../parts/timeline-of.ts'
import type { TourPlan, StepResult, Tour } from './tour.ts'

export const TOURS: readonly Tour[] = [reportFinishes, tokenRunsDry, monthTurns]

export interface TourView {
  /** Result of the preceding step; omitted at the beginning. */
  seen?: StepResult
  /** State of the tour's project; null if the tour has no project. */
  explanation: Explanation | null
  /** Response to `historyQuery` for the project, for its timeline; null if the tour has no project. */
  history: Explanation | null
  /** Time on the world clock, in epoch milliseconds. */
  atMs: number
}

export interface ActiveTour {
  tour: Tour
  world: string
  plan: TourPlan
  /** The world at the beginning, and after each completed step. */
  views: readonly TourView[]
  /** The world before the tour; null if it is too large for a snapshot. */
  before: Snapshot | null
  /** Number of commands that the tour's steps have sent. */
  sent: number
  /** Id of the last action recorded before the tour; 0 if there is none. */
  lastAction: number
}

/** The current tour, kept while other panels are shown; null without a tour. */
export const activeTour = signal<ActiveTour | null>(null)

/** Reason why the chosen tour could not begin, and a scenario that suits it. Null again after any change of the world. */
export const unsuitable = signal<{ unsuitable: string; scenario: string } | null>(null)
revision.subscribe(() => {
  unsuitable.value = null
})

export async function beginTour(tour: Tour): Promise<void> {
  unsuitable.value = null
  const plan = await tour.plan()
  if ('unsuitable' in plan) {
    unsuitable.value = plan
    return
  }
  const before = await readSnapshot()
  const lastAction = actions.peek().at(-1)?.id ?? 0
  const views = [await viewOf(plan)]
  activeTour.value = { tour, world: currentWorld.peek(), plan, views, before, sent: 0, lastAction }
}

async function viewOf({ project }: TourPlan, seen?: StepResult): Promise<TourView> {
  const path = project && (`/explain/projects/${project.id}` as const)
  const explanation = path ? await api.get(path, { changes: 0 }) : null
  const history = path && explanation ? await api.get(path, historyQuery(explanation)) : null
  const atMs = explanation ? Date.parse(explanation.now) : (clocks.peek()?.worldMs ?? 0)
  return { ...(seen && { seen }), explanation, history, atMs }
}

export async function takeNextStep(): Promise<void> {
  const current = activeTour.peek()
  const step = current?.plan.steps[current.views.length - 1]
  if (!current || !step) return
  const before = countSent()
  const view = await viewOf(current.plan, await step.run())
  // The user may have left the tour meanwhile.
  if (activeTour.peek() !== current) return
  const sent = current.sent + countSent() - before
  activeTour.value = { ...current, views: [...current.views, view], sent }
}

export function leaveTour(): void {
  activeTour.value = null
}

/**
 * Ends the tour, and restores the world from before the tour; a world too large for a snapshot is reset instead. Also removes from
 * the test all actions recorded since the tour began. Asks the user first if other changes would be lost, and always before a
 * reset.
 */
export async function restoreWorld(): Promise<void> {
  const current = activeTour.peek()
  if (!current) return
  const { before, sent, lastAction } = current
  if (!(await mayRestore(before && before.commands.length + sent))) return
  if (before === null) await api.command({ type: 'reset' }, 'Reset the world')
  else await api.restore(before, countSent() - sent)
  for (const { id } of actions.peek()) {
    if (id > lastAction) forgetAction(id)
  }
  leaveTour()
  showNotice('The world is as it was before the tour.')
}
