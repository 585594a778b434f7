import type { ComponentChildren } from 'preact'

/** Meaning of a colour, for reports and elsewhere: a successful response is `completed`, an error `failed`. */
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

/** A token or a key. Only its beginning is visible, but selecting it selects all of it. */
export function Secret({ text }: { text: string }) {
  return (
    <code class="secret">
      <bdi>{text}</bdi>
    </code>
  )
}

/** A sentence with what is between backticks as code. */
export function withCode(text: string): ComponentChildren {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))
}
