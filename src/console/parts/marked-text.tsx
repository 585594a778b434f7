import { Fragment } from 'preact'
import type { ComponentChildren } from 'preact'
import { toLabel } from './value-words.ts'

/** A state of a report, also used for other results: `completed` is a success, `failed` an error, `late` a warning. */
export type StateName = 'completed' | 'to_approve' | 'running' | 'late' | 'pending' | 'failed'

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

/** The status of a response; 0 if there was none. */
export function Status({ status }: { status: number }) {
  const isFine = status > 0 && status < 400
  return <StateWord state={isFine ? 'completed' : 'failed'}>{status || 'none'}</StateWord>
}

/** Label of a field, with its API name. Screen readers skip a name that differs from the label only in case. */
export function FieldName({ name }: { name: string }) {
  const label = toLabel(name)
  const isSame = label.toLowerCase() === name.toLowerCase()
  return (
    <>
      {label} {label !== name && <code aria-hidden={isSame ? true : undefined}>{name}</code>}
    </>
  )
}

/** A token or a key. Only the beginning is visible, but selecting the text selects all of it. */
export function Secret({ text }: { text: string }) {
  return (
    <code class="secret">
      <bdi>{text}</bdi>
    </code>
  )
}

/** Text with a path, which may break before each slash and query parameter. */
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

/** Formats a sentence, with the parts in backticks as code. Long paths may break. */
export function withCode(text: string): ComponentChildren {
  return text.split(/`([^`]+)`/).map((part, index) => {
    const breaking = <BreakingPath key={index} path={part} />
    return index % 2 === 0 ? breaking : <code key={index}>{breaking}</code>
  })
}
