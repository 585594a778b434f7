import { computed, signal } from '@preact/signals'
import type { ClientRequest, Command, WorldOrigin } from '../api/types.ts'
import type { Undo } from '../api/undo.ts'
import type { Clocks } from './clock.ts'
import { currentWorld } from './current-world.ts'
import { originHere } from './origin.ts'

/** Something that was done in this page, to be written as code. */
export type Act = {
  id: number
  /** In the past tense, without a full stop. */
  sentence: string
  /** The clocks before it; null where they were not read yet. */
  clocks: Clocks | null
  /** The id of the world in which it was done. */
  world: string
  /** How that world was created; null where that was not read yet. */
  origin: WorldOrigin | null
} & (
  | {
      kind: 'command'
      command: Command
      /** What the command answered with. */
      result?: unknown
      /** What takes it back; undefined where nothing does. */
      undo?: Undo | undefined
    }
  | {
      kind: 'request'
      request: ClientRequest
      status: number
      /** How often it has to be sent for that status; once if omitted. */
      times?: number
    }
)

type ActInput = Act extends infer One
  ? One extends Act
    ? Omit<One, 'id' | 'world' | 'origin'>
    : never
  : never

/** How many are kept; a test of more would be none that anybody reads. */
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
