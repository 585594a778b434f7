import { effect, signal, computed } from '@preact/signals'
import { keyWorld } from '../api/key.ts'
import { outdate } from '../api/transport.ts'
import type { WorldOrigin } from '../api/types.ts'
import { withFaultedRequest } from '../code/test-steps.ts'
import type { RecordedAction } from '../code/test-steps.ts'
import { navigate, query } from './location.ts'
import { showNotice } from './notices.ts'

/** Id of the default world, as in `world/worlds.ts`: the console imports no values from that file. */
export const DEFAULT_WORLD = 'default'

export const currentWorld = signal(query.value['world'] ?? DEFAULT_WORLD)

effect(() => {
  const world = keyWorld.value ?? query.value['world'] ?? DEFAULT_WORLD
  if (world === currentWorld.peek()) return
  currentWorld.value = world
  outdate()
})

/**
 * Shows another world, and removes the parameters of the previous world from the address. `panel: undefined` also opens the first
 * panel.
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

/** Shows the default world, with a notice, because the current world no longer exists. */
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

/** Nobody would read a longer test. */
const MAXIMUM_ACTIONS = 50

/** Actions taken on this page, the oldest first. */
export const actions = signal<readonly RecordedAction[]>([])

export const actionsHere = computed(() =>
  actions.value.filter(({ world }) => world === currentWorld.value),
)

let count = 0

/** Records an action. `api.command` and `api.request` call this themselves. */
export function record(action: ActionInput): void {
  count += 1
  const world = currentWorld.peek()
  const origin = lastOrigin?.world === world ? lastOrigin.origin : null
  const recent = actions.value.slice(1 - MAXIMUM_ACTIONS)
  actions.value = [...recent, { ...action, id: count, world, origin }]
}

/** Records a client's request after the step whose fault answered it. Returns false if the step is no longer recorded. */
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
