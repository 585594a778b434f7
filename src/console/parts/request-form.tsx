import { entryOf } from '../state/client-requests.ts'
import type { SentRequest, Token } from '../state/client-requests.ts'
import { useResource } from '../state/resource.ts'
import { Select } from './form-fields.tsx'
import { StateWord } from './marked-text.tsx'
import { GapList, Headers, Readable } from './readable.tsx'

export function ResponseView({ sent }: { sent: SentRequest }) {
  const { status, headers, text, durationMs } = sent.response
  const { gaps, sequence } = useResource(() => entryOf(sent), [sent]).value ?? {}
  return (
    <div class="response">
      <p>
        <StateWord state={status < 400 ? 'completed' : 'failed'}>{status}</StateWord>{' '}
        <span class="soft">{Math.round(durationMs)} ms</span>
      </p>
      <Headers headers={headers.map(([name, value]) => ({ name, value }))} />
      {text === '' ? <p class="soft">No body.</p> : <Readable body={text} name="Body" />}
      {gaps && (
        <p class="soft">
          It relies on{' '}
          {gaps.length === 0 ? 'no gap of the specification.' : 'gaps of the specification:'}
        </p>
      )}
      {gaps && <GapList ids={gaps} sequence={sequence} />}
    </div>
  )
}

interface TokenSelectProps {
  tokens: readonly Token[]
  /** Id of the selected token; null for a request without a token. */
  selected: number | null
  onSelect: (id: number | null) => void
}

export function TokenSelect({ tokens, selected, onSelect }: TokenSelectProps) {
  return (
    <label class="row soft">
      Token
      <Select
        label="Token"
        value={String(selected ?? '')}
        options={[...tokens.map(({ id, name }) => [String(id), name] as const), ['', 'no token']]}
        onSelect={(value) => onSelect(value === '' ? null : Number(value))}
      />
    </label>
  )
}

/** Presses the primary button of a form on Enter in a text field. */
export function pressOnEnter(event: KeyboardEvent): void {
  const { key, target } = event
  if (key !== 'Enter' || !(target instanceof HTMLInputElement)) return
  event.preventDefault()
  target.form?.querySelector<HTMLElement>('.primary')?.click()
}
