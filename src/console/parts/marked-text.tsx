import { Fragment } from 'preact'
import type { ComponentChildren } from 'preact'

/** A state of a report, or of something like it: a successful response is `completed`, an error `failed`, a warning `late`. */
export type StateName = 'completed' | 'to_approve' | 'running' | 'late' | 'pending' | 'failed'

/** The states in words. */
export const STATE_WORDS: Readonly<Record<StateName, string>> = {
  completed: 'completed',
  to_approve: 'to approve',
  running: 'being written',
  late: 'late',
  pending: 'pending',
  failed: 'failed',
}

/** A state by its shape, its colour and its word. */
export function StateWord({
  state,
  children = STATE_WORDS[state],
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

/** A path, or a sentence with one. It breaks before a slash or a parameter if it is too long for a line. */
export function BreakingPath({ path }: { path: string }) {
  return (
    <>
      {path.split(/(?<=[\w}])(?=[/?&])/).map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </>
  )
}

/** A sentence with the parts between backticks as code; its paths break like others. */
export function withCode(text: string): ComponentChildren {
  return text.split(/`([^`]+)`/).map((part, index) => {
    const breaking = <BreakingPath key={index} path={part} />
    return index % 2 === 0 ? breaking : <code key={index}>{breaking}</code>
  })
}
