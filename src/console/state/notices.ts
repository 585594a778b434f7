import { signal } from '@preact/signals'
import { ApiError, sentenceOf } from '../api/api-error.ts'

interface Notice {
  id: number
  text: string
  isError: boolean
}

/** The sentence in the bar above the code panel; null for none. */
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

/** Errors that the frame has shown already when an action or a read fails with them. */
const SAID = ['unreachable', 'world_not_found', 'admin_key_required']

/** Shows what went wrong, in a sentence. */
export function notifyOf(error: unknown): void {
  if (error instanceof ApiError && SAID.includes(error.code)) return
  showNotice(sentenceOf(error), { isError: true })
}

/** Something that cannot be undone, and is asked about first. */
export interface Question {
  title: string
  /** Consequence of a yes: the loss, in a sentence or two. */
  text: string
  /** Label of the button that confirms. */
  button: string
  /** Label of the other button; `Keep this world` if omitted. */
  keep?: string
}

/** The question that is open; null for none. */
export const question = signal<(Question & { answer: (isConfirmed: boolean) => void }) | null>(null)

/** Asks in a dialog; false where it is closed in any other way than by its button. */
export function ask(asked: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean): void => {
      question.value = null
      resolve(isConfirmed)
    }
    question.value = { ...asked, answer }
  })
}
