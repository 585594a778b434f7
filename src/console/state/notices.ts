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
export function notify(text: string, { isError = false }: { isError?: boolean } = {}): void {
  count += 1
  const id = count
  notice.value = { id, text, isError }
  if (isError) return
  setTimeout(() => {
    if (notice.value?.id === id) notice.value = null
  }, SHOWN_MS)
}

/** Errors that the frame has shown already when an act or a reading fails with them. */
const SAID = ['unreachable', 'world_not_found', 'admin_key_required']

/** Shows what went wrong, in a sentence. */
export function notifyOf(error: unknown): void {
  if (error instanceof ApiError && SAID.includes(error.code)) return
  notify(sentenceOf(error), { isError: true })
}
