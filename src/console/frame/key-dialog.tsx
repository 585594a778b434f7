import { useState } from 'preact/hooks'
import { answerKeyPrompt, keyPrompt } from '../api/key.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useGet } from '../state/resource.ts'

const WORDS = {
  partner: {
    title: 'Come back to your world',
    label: 'Key of your world',
    refused: 'No world has this key, or it was revoked.',
    hint: 'This tab keeps it until you leave. If you have no copy of it, ask who invited you for another link.',
  },
  operator: {
    title: 'Open as the operator',
    label: 'Admin key',
    refused: 'This is not the admin key.',
    hint: 'This page keeps it until it is closed or loaded again, and nowhere else.',
  },
  either: {
    title: 'Open this sandbox',
    label: 'Key of your world, or admin key',
    refused: 'This is not the admin key, and no world has it, or it was revoked.',
    hint: 'If you were invited, open your link, or enter the key that it gave you. If you run this server, enter its admin key.',
  },
}

/** Asks a partner for the key of their world, or the operator for the admin key. */
export function KeyDialog() {
  const prompt = keyPrompt.value
  return prompt && <Asking {...prompt} />
}

function Asking({ refusal, asked }: NonNullable<typeof keyPrompt.value>) {
  const [key, setKey] = useState('')
  const { value: health } = useGet('/health')
  const isPartner = asked === 'partner'
  const isOperator = asked === 'operator' || (health && health.store === undefined)
  const { title, label, refused, hint } =
    WORDS[isPartner ? 'partner' : isOperator ? 'operator' : 'either']
  const send = (event: SubmitEvent): void => {
    event.preventDefault()
    setKey('')
    void answerKeyPrompt(key)
  }
  return (
    <Dialog title={title} onClose={() => void answerKeyPrompt()}>
      <form onSubmit={send}>
        {refusal && (
          <p role="alert">{refusal.code === 'admin_key_required' ? refused : refusal.message}</p>
        )}
        <label>
          {label}
          <input
            class="field mono"
            type="password"
            autoComplete="off"
            autoFocus
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <p class="soft">{hint}</p>
        <button type="submit" class="button primary">
          Open
        </button>
      </form>
    </Dialog>
  )
}
