import { signal } from '@preact/signals'
import { ApiError, sentenceOf } from '../api/api-error.ts'

export const notice = signal<{ text: string; isError: boolean } | null>(null)

const SHOWN_MS = 6000

/** Shows a sentence, which disappears after `SHOWN_MS` unless it is an error. */
export function showNotice(text: string, { isError = false }: { isError?: boolean } = {}): void {
  const shown = { text, isError }
  notice.value = shown
  if (isError) return
  setTimeout(() => {
    if (notice.peek() === shown) notice.value = null
  }, SHOWN_MS)
}

/** Codes of errors that the frame shows itself. */
const SHOWN_BY_FRAME = ['unreachable', 'world_not_found']

export function notifyOf(error: unknown): void {
  if (error instanceof ApiError && SHOWN_BY_FRAME.includes(error.code)) return
  showNotice(sentenceOf(error), { isError: true })
}

export interface Question {
  title: string
  /** Consequence of confirming, in a sentence or two. */
  text: string
  button: string
  /** Label of the button that declines; `Keep this world` if omitted. */
  keep?: string
}

export const question = signal<(Question & { answer: (isConfirmed: boolean) => void }) | null>(null)

/** Asks in a dialog. Resolves to true if the user confirms, and to false if the dialog is closed in any other way. */
export function ask(asked: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean): void => {
      question.value = null
      resolve(isConfirmed)
    }
    question.value = { ...asked, answer }
  })
}
