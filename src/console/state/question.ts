import { signal } from '@preact/signals'

/** Something that cannot be undone, and is asked about first. */
export interface Question {
  title: string
  /** What is lost. */
  text: string
  /** What the button says that does it. */
  act: string
  /** What the other button says; `Keep this world` if omitted. */
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
