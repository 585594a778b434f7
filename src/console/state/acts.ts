import { signal } from '@preact/signals'
import type { ClientRequest, Command } from '../api/types.ts'

/**
 * Something that was done in this page, to be written as code. The sentence is in the past tense, without a full stop;
 * `undo` are the commands that restore what was before, where there are any.
 */
export type Act = { id: number; sentence: string } &
  /** The result is what the command answered with. */
  (
    | { kind: 'command'; command: Command; result?: unknown; undo?: readonly Command[] | undefined }
    /** With `times`, it was sent so often, and the status is the last one. */
    | { kind: 'request'; request: ClientRequest; status: number; times?: number }
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
