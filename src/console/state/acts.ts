import { signal } from '@preact/signals'
import type { ClientRequest, Command } from '../api/types.ts'
import type { Clocks } from './clock.ts'

/** Something that was done in this page, to be written as code. */
export type Act = {
  id: number
  /** In the past tense, without a full stop. */
  sentence: string
  /** The clocks before it; null where they were not read yet. */
  clocks: Clocks | null
} & (
  | {
      kind: 'command'
      command: Command
      /** What the command answered with. */
      result?: unknown
      /** The commands that restore what was before, where there are any. */
      undo?: readonly Command[] | undefined
    }
  | {
      kind: 'request'
      request: ClientRequest
      status: number
      /** How often it has to be sent for that status; once if omitted. */
      times?: number
    }
)

type ActInput = Act extends infer One ? (One extends Act ? Omit<One, 'id'> : never) : never

/** How many are kept; a test of more would be none that anybody reads. */
const KEPT_ACTS = 50

/** What was done in this page, the oldest first. */
export const acts = signal<readonly Act[]>([])

let count = 0

/** `api.command` and `api.request` do this for what they send. */
export function record(act: ActInput): void {
  count += 1
  acts.value = [...acts.value.slice(1 - KEPT_ACTS), { ...act, id: count }]
}

/** Takes one back, as if it had not been done. */
export function forgetAct(id: number): void {
  acts.value = acts.value.filter((act) => act.id !== id)
}

export function forgetActs(): void {
  acts.value = []
}
