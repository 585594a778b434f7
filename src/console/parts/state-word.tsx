import type { ComponentChildren } from 'preact'

/** What a colour means, in a report and elsewhere: a response that is fine is `completed`, one that is an error `failed`. */
export type StateName = 'completed' | 'running' | 'pending' | 'failed'

/** A state by its colour and its word. */
export function StateWord({
  state,
  children = state,
}: {
  state: StateName
  children?: ComponentChildren
}) {
  return <span class={`state ${state}`}>{children}</span>
}
