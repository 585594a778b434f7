import { signal } from '@preact/signals'
import { ApiError, sentenceOf } from '../api/api-error.ts'

interface Notice {
  id: number
  text: string
  isError: boolean
}

/** The sentence in the bar above the code panel; null if there is none. */
export const notice = signal<Notice | null>(null)

const SHOWN_MS = 6000
let count = 0

/** Shows a sentence. It disappears by itself, unless it is an error. */
export function showNotice(text: string, { isError = false }: { isError?: boolean } = {}): void {
  count += 1
  const id = count
  notice.value = { id, text, isError }
  if (isError) return
  setTimeout(() => {
    if (notice.value?.id === id) notice.value = null
  }, SHOWN_MS)
}

/** Codes of errors that the frame has already shown by the time an action or a read fails with them. */
const SAID = ['unreachable', 'world_not_found', 'admin_key_required']

/** Shows an error as a sentence. */
export function notifyOf(error: unknown): void {
  if (error instanceof ApiError && SAID.includes(error.code)) return
  showNotice(sentenceOf(error), { isError: true })
}

/** A request for confirmation before an action that cannot be undone. */
export interface Question {
  title: string
  /** Consequence of a yes: the loss, in a sentence or two. */
  text: string
  /** Label of the button that confirms. */
  button: string
  /** Label of the other button; `Keep this world` if omitted. */
  keep?: string
}

/** The open question; null if there is none. */
export const question = signal<(Question & { answer: (isConfirmed: boolean) => void }) | null>(null)

/** Asks in a dialog. Resolves to true if its button confirms, and to false if it is closed in any other way. */
export function ask(asked: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean): void => {
      question.value = null
      resolve(isConfirmed)
    }
    question.value = { ...asked, answer }
  })
}
