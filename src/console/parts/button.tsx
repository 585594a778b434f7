import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { notifyOf } from '../state/notices.ts'

interface ButtonProps {
  children: ComponentChildren
  /** What it does; an error of it is shown as a sentence. It cannot be pressed again until that is done. */
  onPress: () => unknown
  /** `primary` is the one action that comes next; `quiet` is one beside what matters more. */
  variant?: 'plain' | 'primary' | 'quiet'
  disabled?: boolean
  /** For a switch: whether it is on. */
  pressed?: boolean
  /** A sentence on what it does, where the text is short. */
  title?: string
  /** For screen readers, where the text alone would not say enough. */
  label?: string
  class?: string
}

export function Button({ children, onPress, variant = 'plain', ...rest }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    try {
      await onPress()
    } catch (error) {
      notifyOf(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      class={`button ${variant} ${rest.class ?? ''}`}
      disabled={rest.disabled}
      aria-busy={isBusy}
      aria-pressed={rest.pressed}
      aria-label={rest.label}
      title={rest.title}
      onClick={() => void press()}
    >
      {children}
    </button>
  )
}
