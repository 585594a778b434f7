import { Play } from 'lucide'
import { useState } from 'preact/hooks'
import type { ClientRequest } from '../api/types.ts'
import { entryOf, sendRequest } from '../state/client-requests.ts'
import type { SentRequest, Token } from '../state/client-requests.ts'
import { useResource } from '../state/resource.ts'
import { Button } from './button.tsx'
import { Select } from './form-fields.tsx'
import { Status } from './marked-text.tsx'
import { GapList, Headers, Readable } from './readable.tsx'

function ResponseView({ sent }: { sent: SentRequest }) {
  const { status, headers, text, durationMs } = sent.response
  const { gaps, sequence } = useResource(() => entryOf(sent), [sent]).value ?? {}
  return (
    <div class="response">
      <p>
        <Status status={status} /> <span class="soft">{Math.round(durationMs)} ms</span>
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

/**
 * Returns a request with the chosen token (initially `usual`), the controls that choose the token and send the request, and the
 * response; undefined until it is sent.
 */
export function useSending(
  tokens: readonly Token[],
  usual: Token | undefined,
  untokened: ClientRequest,
  sentence: string,
) {
  const [chosen, choose] = useState<string>()
  const [sent, setSent] = useState<SentRequest>()
  const token = chosen === undefined ? usual : tokens.find(({ id }) => String(id) === chosen)
  const request = { ...untokened, token: token?.token }
  const controls = (
    <div class="row">
      <Button
        icon={Play}
        variant="primary"
        onPress={async () => setSent(await sendRequest(request, sentence))}
      >
        Send this request
      </Button>
      <label class="row soft">
        Token
        <Select
          label="Token"
          value={String(token?.id ?? '')}
          options={[...tokens.map(({ id, name }) => [String(id), name] as const), ['', 'no token']]}
          onSelect={choose}
        />
      </label>
    </div>
  )
  return { request, controls, response: sent && <ResponseView sent={sent} /> }
}

/** Presses the primary button of a form when Enter is pressed in an input field. */
export function pressOnEnter(event: KeyboardEvent): void {
  const { key, target } = event
  if (key !== 'Enter' || !(target instanceof HTMLInputElement)) return
  event.preventDefault()
  target.form?.querySelector<HTMLElement>('.primary')?.click()
}
