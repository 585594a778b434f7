import { effect, signal, computed } from '@preact/signals'
import { keyWorld } from '../api/key.ts'
import { outdate } from '../api/transport.ts'
import type { WorldOrigin } from '../api/types.ts'
import { withFaultedRequest } from '../code/test-steps.ts'
import type { RecordedAction } from '../code/test-steps.ts'
import { navigate, query } from './location.ts'
import { showNotice } from './notices.ts'

/** Repeats the constant of `world/worlds.ts`, a file from which the console imports no values. */
export const DEFAULT_WORLD = 'default'

export const currentWorld = signal(query.value['world'] ?? DEFAULT_WORLD)

effect(() => {
  const world = keyWorld.value ?? query.value['world'] ?? DEFAULT_WORLD
  if (world === currentWorld.peek()) return
  currentWorld.value = world
  outdate()
})

/**
 * Shows another world, and removes the parameters of the previous world from the page's URL. `panel: undefined` also opens the
 * first panel.
 */
export function pickWorld(id: string, changes: { panel?: undefined } = {}): void {
  navigate({
    ...changes,
    world: id === DEFAULT_WORLD ? undefined : id,
    agency: undefined,
    project: undefined,
    report: undefined,
    request: undefined,
    partner: undefined,
  })
}

/** Leaves a world that no longer exists: shows the default world and a notice. Does nothing in the default world. */
export function leaveWorld(): void {
  const id = currentWorld.peek()
  if (id === DEFAULT_WORLD) return
  showNotice(`World ${id} is not there any more. This is the default world.`, { isError: true })
  pickWorld(DEFAULT_WORLD)
}

let lastOrigin: { world: string; origin: WorldOrigin } | undefined

export function setOrigin(origin: WorldOrigin): void {
  lastOrigin = { world: currentWorld.peek(), origin }
}

type ActionInput = RecordedAction extends infer One
  ? One extends RecordedAction
    ? Omit<One, 'id' | 'world' | 'origin'>
    : never
  : never

/** Older actions are dropped, because nobody would read a longer test. */
const MAXIMUM_ACTIONS = 50

/** Recorded actions in all worlds, the oldest first. */
export const actions = signal<readonly RecordedAction[]>([])

export const actionsHere = computed(() =>
  actions.value.filter(({ world }) => world === currentWorld.value),
)

let count = 0

/** Records an action in the current world. `api.command`, `api.request` and `api.undo` call this themselves. */
export function record(action: ActionInput): void {
  count += 1
  const world = currentWorld.peek()
  const origin = lastOrigin?.world === world ? lastOrigin.origin : null
  const recent = actions.value.slice(1 - MAXIMUM_ACTIONS)
  actions.value = [...recent, { ...action, id: count, world, origin }]
}

/** Records a client's request after the step whose fault answered the request. Returns false if that step is gone. */
export function recordFaultedRequest(action: Extract<ActionInput, { kind: 'request' }>): boolean {
  count += 1
  const before = actions.peek()
  actions.value = withFaultedRequest(before, { ...action, id: count })
  return actions.peek() !== before
}

export function forgetAction(id: number): void {
  actions.value = actions.value.filter((action) => action.id !== id)
}

/** Marks a command as undone, so that it cannot be undone again. */
export function markFinal(id: number): void {
  actions.value = actions.value.map((action) =>
    action.id === id && action.kind === 'command' ? { ...action, isFinal: true } : action,
  )
}

export function forgetActions(): void {
  const here = actionsHere.peek()
  actions.value = actions.value.filter((action) => !here.includes(action))
}
