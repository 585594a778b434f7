import { signal } from '@preact/signals'
import { ApiError, sentenceOf } from '../api/api-error.ts'

interface Notice {
  text: string
  isError: boolean
  /** True while a request waits for a limit of the host. */
  isWait?: boolean
  /** Form field that shows the notice; if undefined, the notice bar shows it. */
  field?: HTMLInputElement | undefined
}

export const notice = signal<Notice | null>(null)

const SHOWN_MS = 6000

/** Shows a sentence in the notice bar, for `SHOWN_MS` or, if it is an error, until the user closes the notice. */
export function showNotice(text: string, { isError = false } = {}): void {
  const shown = { text, isError }
  notice.value = shown
  if (isError) return
  setTimeout(() => {
    if (notice.peek() === shown) notice.value = null
  }, SHOWN_MS)
}

/** Codes of errors that are already reported, by the notice bar or by `leaveWorld`. */
const ALREADY_SHOWN = ['unreachable', 'world_not_found']

/**
 * Shows an error. If the error concerns a field of `form`, the field shows it and receives the focus; otherwise the notice bar
 * shows it.
 */
export function notifyOf(error: unknown, form?: HTMLFormElement | null): void {
  const { code = '', problem } = error instanceof ApiError ? error : {}
  if (ALREADY_SHOWN.includes(code)) return
  const fields = form?.querySelectorAll<HTMLInputElement>('.field[name]') ?? []
  const field = problem && [...fields].find(({ name }) => problem.path.startsWith(name))
  notice.value = { text: field ? problem.message : sentenceOf(error), isError: true, field }
  field?.focus()
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

/** Asks the user in a dialog. Resolves to true if the user confirms, and to false if the dialog is closed in any other way. */
export function ask(asked: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean): void => {
      question.value = null
      resolve(isConfirmed)
    }
    question.value = { ...asked, answer }
  })
}
