import type { JSX } from 'preact'
import { hrefWith } from '../state/location.ts'
import { useGet, useResource } from '../state/resource.ts'
import { entryOf } from '../state/sent-request.ts'
import type { SentRequest } from '../state/sent-request.ts'
import { CopyButton } from './copy-button.tsx'
import { StateWord } from './state-word.tsx'
import './answer.css'

/** More of a body than anybody reads slows the page down. */
const SHOWN_CHARACTERS = 20_000

/** The response to a request that this page sent: status, headers, body, and the gaps that it relies on. */
export function Answer({ sent }: { sent: SentRequest }): JSX.Element {
  const { status, headers, text, durationMs } = sent.response
  const body = prettyJson(text)
  const rest = body.length - SHOWN_CHARACTERS
  return (
    <div class="response">
      <div class="line">
        <StateWord state={status < 400 ? 'completed' : 'failed'}>{status}</StateWord>
        <span class="soft">
          {Math.round(durationMs)} ms, {text.length.toLocaleString('en')} characters
        </span>
        <CopyButton text={body} what="the body" />
      </div>
      <dl class="headers mono">
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value.slice(0, 400)}</dd>
          </div>
        ))}
      </dl>
      <pre tabIndex={0} aria-label="Body">
        {body === '' ? 'No body.' : body.slice(0, SHOWN_CHARACTERS)}
        {rest > 0 && `\n… and ${rest.toLocaleString('en')} more characters`}
      </pre>
      <Gaps sent={sent} />
    </div>
  )
}

/** What the specification leaves open and this response relies on, as the journal has it. */
function Gaps({ sent }: { sent: SentRequest }): JSX.Element | null {
  const { value: entry } = useResource(() => entryOf(sent), [sent])
  const gaps = useGet('/policies')
  if (!entry) return null
  if (entry.gaps.length === 0) {
    return <p class="soft">This response relies on no gap of the specification.</p>
  }
  return (
    <div class="gaps">
      <p class="soft">It relies on what the specification leaves open:</p>
      <ul>
        {entry.gaps.map((id) => (
          <li key={id}>
            <a href={hrefWith({ panel: 'policies', search: id })}>{id}</a>{' '}
            {gaps.value?.find((gap) => gap.id === id)?.question}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** JSON with indents; another text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
