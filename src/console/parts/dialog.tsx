import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

interface DialogProps {
  title: string
  /** Called when it is closed by Escape or its last button. */
  onClose: () => void
  /** Label of its last button, which closes it; null for none. */
  close?: string | null
  /** Buttons before that. */
  actions?: ComponentChildren
  /** True for one that rises from the foot of a phone. */
  isSheet?: boolean
  children: ComponentChildren
}

/** A native modal dialog, which is open as long as it is there. */
export function Dialog(props: DialogProps) {
  const { title, onClose, close = 'Close', actions, isSheet = false, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    // This gives the focus back to where it was opened from.
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isSheet ? 'sheet' : ''}`}
      aria-label={title}
      onClose={onClose}
    >
      <h2>{title}</h2>
      {children}
      {close !== null && (
        <div class="row">
          {actions}
          <Button onPress={onClose}>{close}</Button>
        </div>
      )}
    </dialog>
  )
}
