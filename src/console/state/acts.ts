import { computed, signal } from '@preact/signals'
import type { Act } from './act.ts'
import { currentWorld } from './current-world.ts'
import { originHere } from './origin.ts'

type ActInput = Act extends infer One
  ? One extends Act
    ? Omit<One, 'id' | 'world' | 'origin'>
    : never
  : never

/** How many are kept: nobody would read a longer test. */
const KEPT_ACTS = 50

/** What was done in this page, the oldest first. */
export const acts = signal<readonly Act[]>([])

/** What was done in the world that is shown. */
export const actsHere = computed(() =>
  acts.value.filter(({ world }) => world === currentWorld.value),
)

let count = 0

/** `api.command` and `api.request` do this for what they send. */
export function record(act: ActInput): void {
  count += 1
  const place = { id: count, world: currentWorld.peek(), origin: originHere() }
  acts.value = [...acts.value.slice(1 - KEPT_ACTS), { ...act, ...place }]
}

/** Takes one back, as if it had not been done. */
export function forgetAct(id: number): void {
  acts.value = acts.value.filter((act) => act.id !== id)
}

/** Begins the code of the world that is shown again. */
export function forgetActs(): void {
  const here = actsHere.peek()
  acts.value = acts.value.filter((act) => !here.includes(act))
}
