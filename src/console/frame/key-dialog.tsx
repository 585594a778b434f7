import { useState } from 'preact/hooks'
import { answerKeyPrompt, keyPrompt } from '../api/admin-key.ts'
import { Dialog } from '../parts/dialog.tsx'

/** Asks for the admin key, or that of a world, where the server needs one. It is kept in memory only. */
export function KeyDialog() {
  const [key, setKey] = useState('')
  const prompt = keyPrompt.value
  if (!prompt) return null
  const send = (event: SubmitEvent): void => {
    event.preventDefault()
    setKey('')
    void answerKeyPrompt(key)
  }
  return (
    <Dialog title="Admin key, or key of a world" onClose={() => void answerKeyPrompt()}>
      <form onSubmit={send}>
        <p role="alert">{prompt.message}</p>
        <label>
          Key
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
        <p class="soft">This page keeps it until it is closed, and nowhere else.</p>
        <button type="submit" class="button primary">
          Open the console
        </button>
      </form>
    </Dialog>
  )
}
