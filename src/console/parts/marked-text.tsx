import { Fragment } from 'preact'
import type { ComponentChildren } from 'preact'
import { toLabel } from './value-words.ts'

/** A state of a report, or of a similar thing: a successful response is `completed`, an error `failed`, a warning `late`. */
export type StateName = 'completed' | 'to_approve' | 'running' | 'late' | 'pending' | 'failed'

/** Words for the states. */
export const STATE_WORDS: Readonly<Record<StateName, string>> = {
  completed: 'completed',
  to_approve: 'to approve',
  running: 'being written',
  late: 'late',
  pending: 'pending',
  failed: 'failed',
}

/** A state, shown by shape, colour and word. */
export function StateWord({
  state,
  children = STATE_WORDS[state],
}: {
  state: StateName
  children?: ComponentChildren
}) {
  return <span class={`state ${state}`}>{children}</span>
}

/** A field in words, with its own name below, which is not read aloud where it is the same words. */
export function FieldName({ name }: { name: string }) {
  const label = toLabel(name)
  const isSame = label.toLowerCase() === name.toLowerCase()
  return (
    <>
      {label} <code aria-hidden={isSame ? true : undefined}>{name}</code>
    </>
  )
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

/** Marks up the parts of a sentence between backticks as code; long paths in them may break. */
export function withCode(text: string): ComponentChildren {
  return text.split(/`([^`]+)`/).map((part, index) => {
    const breaking = <BreakingPath key={index} path={part} />
    return index % 2 === 0 ? breaking : <code key={index}>{breaking}</code>
  })
}
