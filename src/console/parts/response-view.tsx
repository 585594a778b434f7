import { useResource } from '../state/resource.ts'
import { entryOf } from '../state/sent-request.ts'
import type { SentRequest } from '../state/sent-request.ts'
import { GapList } from './gap-list.tsx'
import { Headers, Readable } from './readable.tsx'
import { StateWord } from './state-word.tsx'

/** The response to a request that this page sent: status, headers, body, and the gaps that it relies on. */
export function ResponseView({ sent }: { sent: SentRequest }) {
  const { status, headers, text, durationMs } = sent.response
  const gaps = useResource(() => entryOf(sent), [sent]).value?.gaps
  return (
    <div class="response">
      <p>
        <StateWord state={status < 400 ? 'completed' : 'failed'}>{status}</StateWord>{' '}
        <span class="soft">{Math.round(durationMs)} ms</span>
      </p>
      <Headers headers={headers.map(([name, value]) => ({ name, value }))} />
      {text === '' ? <p class="soft">No body.</p> : <Readable body={text} what="Body" />}
      {gaps && (
        <p class="soft">
          It relies on {gaps.length === 0 ? 'no gap' : 'gaps'} of the specification
          {gaps.length === 0 ? '.' : ':'}
        </p>
      )}
      {gaps && <GapList ids={gaps} />}
    </div>
  )
}
