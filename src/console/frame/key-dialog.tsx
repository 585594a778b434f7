import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { answerKeyPrompt, keyPrompt, openInvitation } from '../api/key.ts'
import { loadAhead } from '../panels/panels.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useGet } from '../state/resource.ts'
import { NoticeBar } from './notice-bar.tsx'

/** Page of an invitation, shown in place of the console until the invited world is opened. */
export function InvitationPage() {
  // An invitation works only once, so the panels are loaded first: if that fails, it has not been used up.
  const open = async (): Promise<void> => {
    await loadAhead()
    await openInvitation()
  }
  return (
    <main class="invitation">
      <div class="empty">
        <h1>A world is waiting for you</h1>
        <p class="lead soft">
          You are invited to try the Search Content and Reporting Service, in a sandbox of your own.
        </p>
        <Button variant="primary" onPress={open}>
          Open my world
        </Button>
        <p class="small soft">This works once. The page then shows a key to come back with.</p>
      </div>
      <NoticeBar />
    </main>
  )
}

const PARTNER = {
  title: 'Come back to your world',
  label: 'Key of your world',
  button: 'Open my world',
  refused: 'No world has this key, or it was revoked.',
  hint: 'Closing this tab forgets the key. If you have no copy of your key, ask whoever invited you for another link.',
}

const WORDS = {
  link: {
    ...PARTNER,
    title: 'This link opens no world',
    label: 'Key of your world, if you have it',
    hint: 'Without it, ask for another link.',
  },
  partner: PARTNER,
  revoked: {
    ...PARTNER,
    title: 'Your key was revoked',
    refused: 'It opens no world any more.',
    hint: 'Ask whoever invited you for another.',
  },
  operator: {
    title: 'Open as the operator',
    label: 'Admin key',
    button: 'Open the sandbox',
    refused: 'This is not the admin key.',
    hint: 'This page keeps it until it is closed or loaded again, and nowhere else.',
  },
  either: {
    title: 'Open this sandbox',
    label: 'Key of your world, or admin key',
    button: 'Open the sandbox',
    refused: 'This is not the admin key, and no world has it, or it was revoked.',
    hint: 'If you were invited, open your link, or enter the key that it gave. If you run this server, enter its admin key.',
  },
}

export function KeyDialog() {
  const prompt = keyPrompt.value
  return prompt && <KeyForm {...prompt} />
}

const KEY_REFUSED = 'admin_key_required'

type Prompt = NonNullable<typeof keyPrompt.value>

function whoIs({ refusal, lastUser }: Prompt, hasStore: boolean | undefined): keyof typeof WORDS {
  if (refusal?.code.startsWith('invitation') === true) return 'link'
  // A key that the dialog has just tried is refused without an ApiError.
  if (lastUser === 'partner')
    return refusal instanceof ApiError && refusal.code === KEY_REFUSED ? 'revoked' : 'partner'
  return lastUser === 'operator' || hasStore === false ? 'operator' : 'either'
}

function KeyForm(prompt: Prompt) {
  const [key, setKey] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { value: health } = useGet('/health')
  const { refusal } = prompt
  const who = whoIs(prompt, health && health.store !== undefined)
  const { title, label, button, refused, hint } = WORDS[who]
  const send = (event: SubmitEvent): void => {
    event.preventDefault()
    field.current?.focus()
    setKey('')
    void answerKeyPrompt(key.trim())
  }
  return (
    <Dialog title={title}>
      <form onSubmit={send}>
        {refusal && <p role="alert">{refusal.code === KEY_REFUSED ? refused : refusal.message}</p>}
        <label>
          {label}
          <input
            ref={field}
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
          {button}
        </button>
      </form>
    </Dialog>
  )
}
